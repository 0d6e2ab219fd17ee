"""How many connections of this process's pool are in somebody's hands."""

from typing import Any

from django.db import connections


def borrowed_connections() -> int:
    """Return how many connections have not been given back, or are being made."""
    wrapper: Any = connections["default"]
    stats = wrapper.pool.get_stats()
    return int(stats["pool_size"] - stats["pool_available"])
