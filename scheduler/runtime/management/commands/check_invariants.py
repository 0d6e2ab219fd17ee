"""The audit from the command line."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from scheduler.runtime.audit import audit_database


class Command(BaseCommand):
    """Check the core invariants on the database, without changing anything."""

    help = "Check the core invariants; exit status 1 and one line for each that is broken."

    @override
    def handle(self, *_: Any, **__: Any) -> None:
        """Print what is broken."""
        found = audit_database()
        for violation in found:
            self.stdout.write(f"{violation.invariant}: {violation.subject}: {violation.detail}")
        if found:
            raise CommandError(f"{len(found)} violations")
        self.stdout.write("every invariant holds")
