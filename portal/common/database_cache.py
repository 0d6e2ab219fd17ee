"""Django's database cache, written without collisions that PostgreSQL logs as errors.

Django inserts a key and takes the violated primary key for "another was first". Parallel sign-ins
take the same lock, so the log of PostgreSQL would fill with errors that are none. Here a fault of the
database is raised, not taken for a refusal: a limit that cannot be counted must not pass for kept.
"""

import base64
import pickle
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache
from django.db import connection
from typing_extensions import override

from portal.common.clock import now

ENTRIES_MAX: Final = 100_000
"""Beyond this the expired entries go, then those that would expire next."""

_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_SET: Final = """
INSERT INTO common_cache AS held (cache_key, value, expires) VALUES (%s, %s, %s)
ON CONFLICT (cache_key) DO UPDATE SET value = EXCLUDED.value, expires = EXCLUDED.expires
"""
_ADD: Final = f"{_SET} WHERE held.expires < %s"
_CULL: Final = """
DELETE FROM common_cache WHERE cache_key IN (
    SELECT cache_key FROM common_cache ORDER BY expires DESC OFFSET %s)
"""


class UpsertCache(DatabaseCache):
    """The table `common_cache`; keys are set and added in one statement each."""

    entries_max: ClassVar[int] = ENTRIES_MAX

    @override
    def set(
        self,
        key: Any,
        value: Any,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> None:
        """Keep a value under a key, whatever was there before."""
        self._write(_SET, self._row(key, value, timeout, version))

    @override
    def add(
        self,
        key: Any,
        value: Any,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        """Keep a value unless the key has one; return whether it is kept."""
        return self._write(_ADD, [*self._row(key, value, timeout, version), now()])

    def _row(
        self, key: Any, value: Any, timeout: float | None, version: int | None
    ) -> list[str | datetime]:
        ends_at = self.get_backend_timeout(timeout)
        expires = _NEVER if ends_at is None else datetime.fromtimestamp(ends_at, UTC)
        text = base64.b64encode(pickle.dumps(value)).decode("ascii")
        return [self.make_and_validate_key(key, version=version), text, expires]

    def _write(self, statement: str, values: list[str | datetime]) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            is_written = bool(cursor.rowcount)
            cursor.execute("SELECT count(*) FROM common_cache")
            if cursor.fetchone()[0] > self.entries_max:
                cursor.execute("DELETE FROM common_cache WHERE expires < %s", [now()])
                cursor.execute(_CULL, [self.entries_max])
            return is_written
