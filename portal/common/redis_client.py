"""The one Redis client of a process. Redis carries hints only: every caller survives without it."""

from functools import cache
from threading import Lock

from django.conf import settings
from redis import Redis

TIMEOUT_S = 1.0
"""How long Redis may take to answer."""
_making = Lock()


def redis_client() -> Redis:
    """Return the shared client; it connects on first use and gives up after a second."""
    # Of two that threads make at once one is dropped, and closes the connections it has lent.
    with _making:
        return _made()


def forget_client() -> None:
    """Let the next caller get a client that knows the present settings."""
    _made.cache_clear()


@cache
def _made() -> Redis:
    return Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_connect_timeout=TIMEOUT_S,
        socket_timeout=TIMEOUT_S,
    )
