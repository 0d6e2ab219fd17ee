"""A limit of concurrent connections per key, so that one user cannot take all of them."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class ConnectionLimiter:
    """At most `limit` connections per key at a time; used from one event loop only."""

    def __init__(self, limit: int) -> None:
        """Start with no connections."""
        self.limit = limit
        self._held: Counter[Hashable] = Counter()

    def in_use(self, key: Hashable) -> int:
        """Return how many connections a key holds now."""
        return self._held[key]

    @contextmanager
    def acquire(self, key: Hashable) -> Iterator[bool]:
        """Count one connection for the block; False means that the limit is reached."""
        is_acquired = self._held[key] < self.limit
        self._held[key] += is_acquired
        try:
            yield is_acquired
        finally:
            self._held[key] -= is_acquired
            if not self._held[key]:
                del self._held[key]
