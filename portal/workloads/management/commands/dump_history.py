"""`manage.py dump_history FILE`: the platform's past, for `scheduler.whatif replay history FILE`."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from typing_extensions import override

from portal.common.clock import now
from portal.workloads.snapshot import history

DAYS = 31


class Command(BaseCommand):
    """Write what ended, as it was submitted, with how long it ran."""

    help = "Write the platform's past as JSON lines, for scheduler.whatif replay history"

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the file and how far to look back."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--days", type=int, default=DAYS, help=f"to look back ({DAYS})")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file."""
        file: Path = options["file"]
        count = -1
        with file.open("w", encoding="utf-8") as out:
            for line in history.iter_history(now() - timedelta(days=options["days"])):
                out.write(f"{line}\n")
                count += 1
        self.stdout.write(f"{count} workloads in {file}")
