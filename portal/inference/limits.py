"""Limits of keys by the minute: each runs full with use and empties with time.

They are counted by this process alone.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from portal.serving_usage.routes import KeyRoute

MINUTE_S = 60.0


@dataclass(slots=True)
class _Bucket:
    """What was used of a minute's limit and has not been given back by time."""

    used: float = 0.0
    at: float = 0.0

    def settle(self, limit: int, now: float) -> float:
        """Return what is used now."""
        self.used = max(0.0, self.used - (now - self.at) * limit / MINUTE_S)
        self.at = now
        return self.used


@dataclass(slots=True)
class _Buckets:
    requests: _Bucket = field(default_factory=_Bucket)
    tokens: _Bucket = field(default_factory=_Bucket)


class KeyLimits:
    """The limits of all keys of this process."""

    def __init__(self) -> None:
        """Start with nothing used."""
        self._buckets: dict[UUID, _Buckets] = {}

    def take(self, key: KeyRoute, now: float) -> float:
        """Take one request; return 0, or in how many seconds there is room for one.

        Tokens are known after the answer: a key that used too many waits until time has given them back.
        """
        if key.requests_per_minute is None and key.tokens_per_minute is None:
            return 0.0
        buckets = self._buckets.setdefault(key.key_id, _Buckets())
        wait = 0.0
        if (limit := key.tokens_per_minute) is not None:
            over = buckets.tokens.settle(limit, now) - limit
            wait = _seconds(over + 1, limit) if over >= 0 else 0.0
        if (limit := key.requests_per_minute) is not None:
            over = buckets.requests.settle(limit, now) + 1 - limit
            wait = max(wait, _seconds(over, limit) if over > 0 else 0.0)
        if not wait:
            buckets.requests.used += 1
        return wait

    def charge(self, key: KeyRoute, tokens: int, now: float) -> None:
        """Add the tokens of an answer."""
        if (limit := key.tokens_per_minute) is not None:
            bucket = self._buckets.setdefault(key.key_id, _Buckets()).tokens
            bucket.settle(limit, now)
            bucket.used += tokens

    def keep_only(self, keys: Collection[UUID]) -> None:
        """Forget keys that are gone."""
        for key_id in self._buckets.keys() - set(keys):
            del self._buckets[key_id]


def _seconds(amount: float, limit: int) -> float:
    """Return how long it takes to give back so much; a limit of 0 never does."""
    return amount * MINUTE_S / limit if limit else MINUTE_S
