"""`manage.py rebuild_usage`: derive the meter again from the ledger, for all days."""

from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from portal.metering.services import rebuild_usage


class Command(BaseCommand):
    """Derive what was held and used on every day again."""

    help = "Derive usage by day again from the ledger of allocations"

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild, and write how many days that were."""
        self.stdout.write(f"{rebuild_usage()} days derived from the ledger")
