"""The database wrapper; the module's name is what Django looks for in a backend."""

from contextlib import suppress
from typing import Any, Final

import psycopg
from django.db.backends.postgresql import base
from typing_extensions import override

CHECKS_MAX: Final = 3
"""Connections tried for one caller, before its first query finds out."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Hands out no connection that a restart of PostgreSQL has ended.

    The pool's own check tries one dead connection after the other, with pauses that grow to seconds.
    Here the first dead one empties the pool: the others are as old.
    """

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


def _answers(connection: "psycopg.Connection[Any]") -> bool:
    with suppress(psycopg.Error):
        connection.execute("")
        return True
    return False
