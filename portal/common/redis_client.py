"""The one Redis client of a process. Redis carries hints only: every caller survives without it."""

from functools import cache

from django.conf import settings
from redis import Redis

TIMEOUT_S = 1.0


@cache
def redis_client() -> Redis:
    """Return the shared client; it connects on first use and gives up after a second."""
    return Redis.from_url(
        settings.REDIS_URL,
        decode_responses=True,
        socket_connect_timeout=TIMEOUT_S,
        socket_timeout=TIMEOUT_S,
    )
