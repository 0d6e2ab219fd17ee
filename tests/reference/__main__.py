"""`make reference`: write what is written from the code; `tests/reference` fails when it is stale."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.test")
django.setup()

from tests.reference.written import written  # noqa: E402 - settings first, then what needs them


def main() -> int:
    """Write every file that is not as it should be."""
    for path, text in written().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
