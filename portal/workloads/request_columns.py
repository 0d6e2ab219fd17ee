"""What a workload requests, as columns and as the engine's `Request`: both have the same names."""

from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from scheduler.core.model.entities import Request

_NOT_STORED: Final = frozenset({"models", "min_card_memory_mib", "home_node"})
"""Fields of `Request` that no submission sets."""
REQUEST_COLUMNS: Final = tuple(
    field.name for field in fields(Request) if field.name not in _NOT_STORED
)


@lru_cache(maxsize=4096)
def build_request(columns: tuple[Any, ...]) -> Request:
    """Return the request that these columns make, given in the order of `REQUEST_COLUMNS`.

    Thousands of workloads share a few requests, and the engine caches what it derives by value.
    """
    return Request(**dict(zip(REQUEST_COLUMNS, columns, strict=True)))


def request_of(row: object) -> Request:
    """Return the request of a row that has the columns as attributes."""
    return build_request(tuple(getattr(row, name) for name in REQUEST_COLUMNS))
