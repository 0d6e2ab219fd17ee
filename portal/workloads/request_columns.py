"""Columns of workloads that the engine reads: they have the names of its fields."""

from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from scheduler.core.model.entities import PendingWorkload, Request

_NOT_STORED: Final = frozenset(
    {"models", "min_card_memory_mib", "max_card_memory_mib", "home_node"}
)
"""Fields of `Request` that no submission sets."""
REQUEST_COLUMNS: Final = tuple(
    field.name for field in fields(Request) if field.name not in _NOT_STORED
)
_NOT_COLUMNS: Final = frozenset({"request", "held", "avoid", "expected_s"})
"""Fields of `PendingWorkload` that are not stored with the workload."""
PENDING_FIELDS: Final = tuple(
    field.name for field in fields(PendingWorkload) if field.name not in _NOT_COLUMNS
)
PENDING_COLUMNS: Final = tuple("owner" if name == "user" else name for name in PENDING_FIELDS)
"""The columns of `PENDING_FIELDS`, in the same order."""


@lru_cache(maxsize=4096)
def build_request(columns: tuple[Any, ...]) -> Request:
    """Return the request that these columns make, given in the order of `REQUEST_COLUMNS`.

    Thousands of workloads share a few requests, and the engine caches what it derives by value.
    """
    return Request(**dict(zip(REQUEST_COLUMNS, columns, strict=True)))


def request_of(row: object) -> Request:
    """Return the request of a row that has the columns as attributes."""
    return build_request(tuple(getattr(row, name) for name in REQUEST_COLUMNS))
