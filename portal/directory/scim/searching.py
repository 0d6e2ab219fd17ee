"""Filters of SCIM: names and ids are found by index, everything else is compared row by row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from scim2_models import SearchRequest, TooManyException
from scim2_models.path import CompareOperator, Comparison, FilterNode

COMPARED_MAX: Final = 5_000
"""Rows that one filter compares; a directory with more is asked by name or id."""
_INDEXED: Final[Mapping[str, str]] = {
    "id": "pk",
    "externalid": "external_id",
    "username": "user_name__iexact",
    "displayname": "display_name__iexact",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One page of what was found; `start` counts from one."""

    rows: list[Any]
    total: int
    start: int


def find_page(
    rows: QuerySet[Any],
    asked: SearchRequest[Any],
    *,
    build: Callable[[Any], Any],
    count: int,
    start: int,
) -> Page:
    """Return the rows of a page, in the order in which they came.

    Raises:
        TooManyException: the filter would compare more rows than are allowed.
    """
    rows = rows.order_by("pk")
    if asked.filter is None:
        return Page(list(rows[start - 1 : start - 1 + count]), rows.count(), start)
    indexed = _indexed(rows, asked.filter.ast)
    if indexed is not None:
        return Page(list(indexed[start - 1 : start - 1 + count]), indexed.count(), start)
    if rows.count() > COMPARED_MAX:
        raise TooManyException
    found = [row for row in rows if asked.filter.match(build(row))]
    return Page(found[start - 1 : start - 1 + count], len(found), start)


def _indexed(rows: QuerySet[Any], node: FilterNode) -> QuerySet[Any] | None:
    """Return the rows that equal a name or an id, or None where the filter asks something else."""
    if not isinstance(node, Comparison) or node.op is not CompareOperator.eq:
        return None
    column = _INDEXED.get(str(node.attr_path.attr).lower())
    if column is None or node.attr_path.sub_attr or not isinstance(node.value, str):
        return None
    if column == "pk":
        key = _uuid(node.value)
        return rows.none() if key is None else rows.filter(pk=key)
    if not hasattr(rows.model, column.partition("__")[0]):
        return None
    return rows.filter(**{column: node.value})


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
