"""The database wrapper; the module's name is what Django looks for in a backend.

The look at a connection before it is used is also how a process learns the time (ADR 88).
"""

from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any, Final, Self

import psycopg
from django.core.exceptions import SynchronousOnlyOperation
from django.db import connections
from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import BaseTzLoader, get_adapters_template
from psycopg.adapt import AdaptersMap
from typing_extensions import override

from portal.common.clock import SHARED

CHECKS_MAX: Final = 3
"""Connections tried for one caller, before its first query finds out."""
PREPARED_AFTER: Final = 2
"""Uses of a statement by one connection before PostgreSQL keeps its plan."""
_TIME: Final = "SELECT extract(epoch FROM clock_timestamp())::float8"
PARAMETERS_MAX: Final = 65_535
"""Of one statement that PostgreSQL binds; the protocol counts them in 16 bits."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Statements are planned once by each connection, and none that a restart has ended is handed out.

    The pool's own check tries one dead connection after the other, with pauses that grow to seconds.
    Here the first dead one empties the pool: the others are as old.
    """

    @override
    def get_connection_params(self) -> dict[str, Any]:
        """Return how to connect: with statements that are kept, by cursors that bind any number."""
        return {
            **super().get_connection_params(),
            "context": _adapters(self.timezone),
            "prepare_threshold": PREPARED_AFTER,
            "cursor_factory": _BindingCursor,
        }

    @override
    def get_new_connection(self, conn_params: Any) -> Any:
        """Return a connection that answers; raises when the pool has none in time."""
        connection = super().get_new_connection(conn_params)
        for _ in range(CHECKS_MAX):
            if self.pool is None or _answers(connection):
                break
            self.pool.putconn(connection)
            self.pool.drain()
            connection = super().get_new_connection(conn_params)
        return connection


@lru_cache
def _adapters(timezone: tzinfo) -> AdaptersMap:
    """Return Django's adapters, with a loader of moments that is ten times as fast."""

    class Loader(BaseTzLoader):
        def load(self, data: Any) -> datetime:
            try:
                return datetime.fromisoformat(str(data, "ascii")).astimezone(self.timezone)
            except ValueError:  # before the year 1, after 9999, infinite
                refused: datetime = super().load(data)
                return refused

    Loader.timezone = timezone
    found = AdaptersMap(get_adapters_template(True, timezone))
    found.register_loader("timestamptz", Loader)
    return found


class _BindingCursor(base.CursorMixin, psycopg.Cursor[Any]):
    """Lets PostgreSQL bind the parameters of a statement, and binds them here where they are too many."""

    @override
    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Run a statement."""
        if params is not None and len(params) > PARAMETERS_MAX:
            query, params = psycopg.ClientCursor(self.connection).mogrify(query, params), None
        return super().execute(query, params, **options)


def follow_time() -> None:
    """Let the clock of this process go by that of PostgreSQL."""
    SHARED.follow(_take_connection)


def _take_connection() -> None:
    """Take a connection, which says the time, for a moment; in an event loop nobody may wait for one."""
    connection = connections["default"]
    is_held = connection.connection is not None
    with suppress(SynchronousOnlyOperation):
        connection.ensure_connection()
        if not is_held:
            connection.close()


def _answers(connection: "psycopg.Connection[Any]") -> bool:
    with suppress(psycopg.Error):
        if SHARED.is_reading_due():
            _note_time(connection)
        else:
            connection.execute("")
        return True
    return False


def _note_time(connection: "psycopg.Connection[Any]") -> None:
    asked_s = SHARED.steady_s()
    found = connection.execute(_TIME).fetchone()
    if found is not None:
        SHARED.note(datetime.fromtimestamp(found[0], UTC), asked_s, SHARED.steady_s())
