"""Columns of workloads that the engine reads: they have the names of its fields."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from portal.common.postgresql.column_lists import SEPARATOR
from portal.inventory.gpu_models import model_name
from scheduler.core.model.entities import PendingWorkload, Request

_NOT_STORED: Final = frozenset({"max_card_memory_mib", "home_nodes", "builds_image"})
"""Fields of `Request` that no submission sets."""
REQUEST_COLUMNS: Final = tuple(
    field.name for field in fields(Request) if field.name not in _NOT_STORED
)
_SETS: Final = frozenset({"gpu_models", "gpu_features"})
"""Columns that are lists in the database, one text in what the engine reads, sets in `Request`."""
_NOT_COLUMNS: Final = frozenset({"request", "held", "avoid", "expected_s", "contents", "traits"})
"""Fields of `PendingWorkload` that are not stored with the workload."""
PENDING_FIELDS: Final = tuple(
    field.name for field in fields(PendingWorkload) if field.name not in _NOT_COLUMNS
)
PENDING_COLUMNS: Final = tuple("owner" if name == "user" else name for name in PENDING_FIELDS)
"""The columns of `PENDING_FIELDS`, in the same order."""


@lru_cache(maxsize=4096)
def build_request(columns: tuple[Any, ...]) -> Request:
    """Return the request of columns as `column_lists` reads them, in the order of `REQUEST_COLUMNS`.

    Thousands of workloads share a few requests, and the engine caches what it derives by value.
    """
    values = dict(zip(REQUEST_COLUMNS, columns, strict=True))
    return Request(**values | {name: _as_set(values[name]) for name in _SETS})


def request_of(row: object) -> Request:
    """Return the request of a row that has the columns as attributes."""
    return request_from_row([getattr(row, name) for name in REQUEST_COLUMNS])


def request_from_row(columns: Iterable[Any]) -> Request:
    """Return the request of columns as the database has them, in the order of `REQUEST_COLUMNS`."""
    return build_request(tuple(map(_as_read, columns)))


def request_from_input(asked: Mapping[str, Any]) -> Request:
    """Return the request of a validated submission; models go by the names of the catalogue."""
    given = {name: asked[name] for name in REQUEST_COLUMNS if name in asked}
    sets = {name: frozenset(given[name]) for name in _SETS & given.keys()}
    if "gpu_models" in sets:
        sets["gpu_models"] = frozenset(map(model_name, sets["gpu_models"]))
    return Request(**given | sets)


def columns_of(request: Request) -> dict[str, Any]:
    """Return the columns in which a request is stored."""
    values = {name: getattr(request, name) for name in REQUEST_COLUMNS}
    return values | {name: sorted(values[name]) for name in _SETS}


def _as_set(text: str) -> frozenset[str]:
    return frozenset(text.split(SEPARATOR)) if text else frozenset()


def _as_read(value: Any) -> Any:
    return SEPARATOR.join(value) if isinstance(value, list) else value
