"""`berth-server upgrade`: look first, back up, then change the tables while the processes of before run on.

Each version only adds to the tables (`tests/portal/config/test_migrations_beside_earlier_processes.py`), so
they may run beside them. The migrations of `HARD_STOPS` are older than that rule: nothing may run meanwhile.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import OperationalError

from deploy.server.faults import RefusalError, ServerFault
from deploy.server.store_checks import find_refused_tables

HARD_STOPS: Final = frozenset(
    {
        ("catalog", "0005_apps_with_hosts"),
        ("catalog", "0006_saved_images"),
        ("catalog", "0007_web_apps"),
        ("environments", "0005_images"),
        ("environments", "0006_endpoints_move"),
        ("studies", "0002_stories"),
        ("workloads", "0005_peak_utilisation"),
    }
)
"""Migrations after which processes of the version before fail; docs/admin/upgrade.md says which those are."""
_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def find_upgrade_faults(*, are_stopped: bool) -> Iterator[ServerFault]:
    """Yield why the tables must not be changed now; none: `migrate` may follow."""
    if refused := list(find_refused_tables(connection)):
        yield from refused
        return
    crossed = [name for name in pending_migrations() if name in HARD_STOPS]
    if not crossed or _is_new():
        return
    if not are_stopped:
        for app, name in crossed:
            yield ServerFault("hard_stop", {"migration": f"{app}.{name}"})
    elif others := _other_connections():
        yield ServerFault("still_connected", {"count": others})


def pending_migrations() -> list[tuple[str, str]]:
    """Return the migrations that this version would apply, in their order."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [(migration.app_label, migration.name) for migration, _ in plan]


def applied_migrations() -> list[str]:
    """Return the newest migration of each app that the database has; none if it does not answer."""
    try:
        found = MigrationRecorder(connection).applied_migrations()
    except OperationalError:
        return []
    return [f"{app}.{name}" for app, name in sorted(dict(sorted(found)).items())]


def refuse_later_version(migrations: Iterable[str]) -> None:
    """Raise `RefusalError` if tables with these migrations are of a version that this one does not know."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    known = set(loader.disk_migrations)
    for migration in loader.disk_migrations.values():
        known.update(migration.replaces)
    for written in migrations:
        app, _, name = written.partition(".")
        if app in loader.migrated_apps and (app, name) not in known:
            raise RefusalError("backup_of_later_version", migration=written)


def migrate() -> None:
    """Bring the tables up to date; raises `RefusalError` for those that this version cannot follow."""
    for fault in find_refused_tables(connection):
        raise RefusalError(fault.code, **fault.params)
    call_command("migrate", verbosity=1, interactive=False, skip_checks=False)


def _is_new() -> bool:
    """Return whether the database has never had a table of ours: nothing has run on it."""
    return not MigrationRecorder(connection).applied_migrations()


def _other_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_OTHERS)
        return int(cursor.fetchone()[0])
