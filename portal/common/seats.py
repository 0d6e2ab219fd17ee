"""A counted number of places per owner: what keeps one user from taking every socket."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager


class Seats:
    """At most `limit` places per key at a time; used from one event loop only."""

    def __init__(self, limit: int) -> None:
        """Start with all places free."""
        self.limit = limit
        self._taken: Counter[Hashable] = Counter()

    def taken(self, key: Hashable) -> int:
        """Return how many places a key holds now."""
        return self._taken[key]

    @contextmanager
    def take(self, key: Hashable) -> Iterator[bool]:
        """Hold a place inside the block; False means that none was free."""
        has_place = self._taken[key] < self.limit
        self._taken[key] += has_place
        try:
            yield has_place
        finally:
            self._taken[key] -= has_place
            if not self._taken[key]:
                del self._taken[key]
