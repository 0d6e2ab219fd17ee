"""`migrate` refuses a database that it cannot bring up to date, before it writes anything."""

from collections.abc import Collection, Iterator
from typing import Any

from django.core.checks import Error
from django.db import connections
from django.db.migrations.loader import MigrationLoader


def check_migrations(databases: Collection[str] | None = None, **_: Any) -> list[Error]:
    """Name the apps whose tables this version can neither use as they are nor bring up to date."""
    found: list[Error] = []
    for alias in databases or ():
        loader = MigrationLoader(connections[alias])
        found += _too_old(loader)
        found += _too_new(loader)
    return found


def _too_old(loader: MigrationLoader) -> Iterator[Error]:
    """Yield the apps that have some, but not all, of the migrations that one now replaces.

    Django itself would take such an app for one without any table to make.
    """
    applied = loader.applied_migrations
    for (app, _name), migration in loader.replacements.items():
        missing = [name for name in migration.replaces if name not in applied]
        if missing and len(missing) < len(migration.replaces):
            yield Error(
                f"The tables of {app!r} are those of an earlier version, before {missing[0][1]!r}.",
                hint="Upgrade to the last version that has that migration first.",
                id="berth.E001",
            )


def _too_new(loader: MigrationLoader) -> Iterator[Error]:
    """Yield the apps whose newest migration is of a later version.

    Django itself would find nothing to do, and the processes would start on tables that they do not know.
    """
    known = set(loader.disk_migrations)
    for migration in loader.disk_migrations.values():
        known.update(migration.replaces)
    unknown = set(loader.applied_migrations) - known
    newest = {app: name for app, name in sorted(unknown) if app in loader.migrated_apps}
    for app, name in newest.items():
        yield Error(
            f"The tables of {app!r} are those of a later version, which made {name!r}.",
            hint="Run the version that has that migration; docs/admin/upgrade.md has the way back.",
            id="berth.E002",
        )
