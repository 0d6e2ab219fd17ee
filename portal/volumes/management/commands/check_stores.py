"""`manage.py check_stores [NAME …]`: asks each object store of the site for a list and one byte.

Exit status 0: all of them answered; 1: one did not, or there is none of that name.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from typing_extensions import override

from portal.common.errors import DomainError
from portal.common.site_config import ObjectStore, get_site_config
from portal.common.translations import translate
from portal.volumes.object_copies import ObjectCopier


class Command(BaseCommand):
    """Check the object stores from which data sets are published."""

    help = "List objects of every store in BERTH_STORE_FILE, and read one byte of one of them."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the names of the stores."""
        parser.add_argument("names", nargs="*", metavar="NAME", help="all stores without")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        """Check one after the other, and fail in the end if one has not answered."""
        stores = get_site_config().object_stores
        if unknown := sorted(set(options["names"]) - set(stores)):
            raise CommandError(f"BERTH_STORE_FILE has no store {', '.join(unknown)}")
        if not stores:
            raise CommandError("BERTH_STORE_FILE names no store")
        names = options["names"] or sorted(stores)
        failed = [name for name in names if not self._answers(stores[name])]
        if failed:
            raise CommandError(f"of {len(names)} stores {len(failed)} cannot be used")

    def _answers(self, store: ObjectStore) -> bool:
        try:
            found = ObjectCopier(store, "", Path()).probe()
        except DomainError as error:
            self.stdout.write(f"{store.name}: {translate('en', error.code, error.params)}")
            return False
        more = "" if found.is_whole else "at least "
        self.stdout.write(f"{store.name}: {more}{found.files} objects, {more}{found.size} bytes")
        return True
