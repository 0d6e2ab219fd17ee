"""What `check` finds wrong with PostgreSQL and Valkey, and with what the database holds."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError, OperationalError
from psycopg_pool import PoolTimeout
from redis import Redis
from redis.exceptions import RedisError

from deploy.server.faults import ServerFault
from deploy.server.roles import APPEND_ONLY, CHANGES
from portal.config import stored_secrets
from portal.config.checks.migrations import check_migrations

SKEW_MAX_S: Final = 5
POSTGRES_MIN: Final = 15
VALKEY_MIN: Final = (6, 2)
"""As Redis counts: Valkey says which version of Redis it stands for."""
AUDIT_LOG: Final = APPEND_ONLY[0]
_TABLE_CODES: Final = {"berth.E001": "tables_too_old", "berth.E002": "tables_too_new"}
_ROLE: Final = """
SELECT rolsuper, rolcreatedb OR rolcreaterole OR has_schema_privilege('public', 'CREATE'), current_user
FROM pg_roles WHERE rolname = current_user
"""

Clock = Callable[[], float]
"""Returns seconds since the epoch."""


def find_database_faults(
    connection: BaseDatabaseWrapper, clock: Clock = time.time, postgres_min: int = POSTGRES_MIN
) -> Iterator[ServerFault]:
    """Yield what is wrong with PostgreSQL, its clock, the role and the tables of a connection."""
    try:
        connection.ensure_connection()
    except (OperationalError, PoolTimeout) as error:
        yield ServerFault("database_away", {"reason": str(error).splitlines()[0]})
        return
    with connection.cursor() as cursor:
        yield from _version_faults(cursor, postgres_min)
        asked_s = clock()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        yield from _skew_faults("PostgreSQL", cursor.fetchone()[0], asked_s, clock())
        yield from _role_faults(cursor)
    yield from _table_faults(connection)


def find_valkey_faults(
    url: str, clock: Clock = time.time, least: tuple[int, int] = VALKEY_MIN
) -> Iterator[ServerFault]:
    """Yield what is wrong with the store of hints, and with its clock."""
    with Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5) as client:
        try:
            version = str(client.info("server")["redis_version"])
            asked_s = clock()
            seconds, micros = client.time()
            answered_s = clock()
        except RedisError as error:
            yield ServerFault("valkey_away", {"reason": str(error).splitlines()[0]})
            return
    if tuple(int(part) for part in version.split(".")[:2]) < least:
        yield ServerFault("valkey_too_old", {"version": version, "min": ".".join(map(str, least))})
    yield from _skew_faults("Valkey", seconds + micros / 1e6, asked_s, answered_s)


def _version_faults(cursor: Any, least: int) -> Iterator[ServerFault]:
    cursor.execute("SELECT current_setting('server_version_num')::int / 10000")
    version = cursor.fetchone()[0]
    if version < least:
        yield ServerFault("postgres_too_old", {"version": version, "min": least})


def _skew_faults(
    store: str, told_s: float, asked_s: float, answered_s: float
) -> Iterator[ServerFault]:
    """Yield a fault if a clock is further off than the answer took."""
    skew_s = max(asked_s - told_s, told_s - answered_s)
    if skew_s > SKEW_MAX_S:
        yield ServerFault("clock_skewed", {"store": store, "skew_s": round(skew_s)})


def _role_faults(cursor: Any) -> Iterator[ServerFault]:
    cursor.execute(_ROLE)
    is_superuser, may_change_tables, role = cursor.fetchone()
    if is_superuser:
        yield ServerFault("role_is_superuser", {"role": role})
        return
    if may_change_tables:
        yield ServerFault("role_changes_tables", {"role": role})
    cursor.execute("SELECT to_regclass(%s)", [AUDIT_LOG])
    if cursor.fetchone()[0] is None:
        return  # the tables are not there yet, which has a fault of its own
    cursor.execute("SELECT has_table_privilege(%s, %s)", [AUDIT_LOG, CHANGES])
    if cursor.fetchone()[0]:
        yield ServerFault("role_changes_audit_log", {"role": role})


def find_refused_tables(connection: BaseDatabaseWrapper) -> Iterator[ServerFault]:
    """Yield the tables that this version can neither use as they are nor bring up to date."""
    for error in check_migrations([connection.alias]):
        yield ServerFault(_TABLE_CODES[str(error.id)], {"reason": error.msg})


def _table_faults(connection: BaseDatabaseWrapper) -> Iterator[ServerFault]:
    if refused := list(find_refused_tables(connection)):
        yield from refused
        return
    executor = MigrationExecutor(connection)
    if missing := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        first = missing[0][0]
        name = f"{first.app_label}.{first.name}"
        yield ServerFault("migrations_missing", {"count": len(missing), "first": name})
        return
    try:
        if not stored_secrets.are_readable():
            yield ServerFault("keys_do_not_fit")
    except DatabaseError as error:
        yield ServerFault("tables_unreadable", {"reason": str(error).splitlines()[0]})
