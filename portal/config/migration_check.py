"""`migrate` refuses a database that it cannot bring up to date, before it writes anything."""

from collections.abc import Collection
from typing import Any

from django.core.checks import Error
from django.db import connections
from django.db.migrations.loader import MigrationLoader


def check_earlier_migrations(databases: Collection[str] | None = None, **_: Any) -> list[Error]:
    """Name the apps whose tables are of some, but not all, of the migrations that one now replaces.

    Django itself would take such an app for one without any table to make.
    """
    found = []
    for alias in databases or ():
        loader = MigrationLoader(connections[alias])
        applied = loader.applied_migrations
        for (app, _name), migration in loader.replacements.items():
            missing = [name for name in migration.replaces if name not in applied]
            if missing and len(missing) < len(migration.replaces):
                found.append(
                    Error(
                        f"The tables of {app!r} are those of an earlier version,"
                        f" before {missing[0][1]!r}.",
                        hint="Upgrade to the last version that has that migration first.",
                        id="berth.E001",
                    )
                )
    return found
