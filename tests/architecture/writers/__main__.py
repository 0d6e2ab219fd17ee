"""`python -m tests.architecture.writers`: who writes each table, as `test_writes.py` lists it."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.test")
django.setup()

from tests.architecture.writers.everything import everything_written  # noqa: E402 - settings first
from tests.architecture.writers.found import Unclear, Write  # noqa: E402 - the same


def main() -> int:
    """Print the table, and what is unclear."""
    found = everything_written()
    writes = [write for write in found if isinstance(write, Write)]
    for table in sorted({write.table for write in writes}):
        modules = {write.module for write in writes if write.table == table and write.is_saved}
        print(table, *sorted(modules), sep="\n    ")
    for unclear in (item for item in found if isinstance(item, Unclear)):
        print(f"unclear: {unclear.module}:{unclear.line} {unclear.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
