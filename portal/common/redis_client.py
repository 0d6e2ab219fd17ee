"""The Redis client of a process. Redis carries hints only, so every caller works without it."""

from functools import cache
from threading import Lock

from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from portal.common.site_config import get_site_config

TIMEOUT_S = 1.0
"""How long Redis may take to answer."""
_lock = Lock()


def get_redis_client() -> Redis:
    """Return the shared client; it connects on first use and gives up after a second."""
    # Two threads must not both create one: the dropped client would close connections in use.
    with _lock:
        return _client(get_site_config().redis_url)


def own_channel(client: Redis | AsyncRedis, name: str) -> str:
    """Return the channel of this name that belongs to the client's database.

    Redis keeps keys apart by the number of the database, but not channels: sites that share a
    server would hear each other.
    """
    return f"{name}:{client.connection_pool.connection_kwargs.get('db', 0)}"


@cache
def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=TIMEOUT_S,
        socket_timeout=TIMEOUT_S,
    )
