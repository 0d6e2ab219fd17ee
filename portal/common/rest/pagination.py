"""Lists in pages; the cursor names the row at the edge, so pages do not shift when rows are added.

Rows are newest first, or sorted by one column and, where that is equal, by their key. Where that
column changes, its past is read: who follows `next` from a first page gets each row once.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Protocol

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from typing_extensions import override

from portal.common.errors import DomainError

PAGE_SIZE = 50
PAGE_SIZE_MAX = 200
"""Rows of one page of a list."""
CURSOR_LENGTH_MAX = 500
"""Characters of a cursor."""

Presenter = Callable[[Sequence[Any]], Iterable[Any]]
"""Turns the rows of one page into what the client sees."""


class Past(Protocol):
    """What a column held that changes, so that its order stays the same from page to page."""

    def moment(self) -> int:
        """Return the present moment, which the cursors of a list keep."""

    def read(self, queryset: "QuerySet[Any]", moment: int) -> "tuple[QuerySet[Any], QuerySet[Any]]":
        """Return all rows in two parts, with what the column held then as `stood`: an ASCII text."""


@dataclass(frozen=True, slots=True)
class Ordering:
    """The column that a list is sorted by: a text, or `pk`, which rises with time."""

    column: str = "pk"
    is_descending: bool = True
    past: Past | None = None
    """Of a column that changes."""


NEWEST_FIRST: Final = Ordering()


def parse_ordering(
    given: str, *, past: Mapping[str, Past] | None = None, **columns: str
) -> Ordering:
    """Return the order that a validated parameter means: a name, with `-` for descending.

    `columns` has the columns whose names differ from those of the parameter, `past` those that
    change.
    """
    name = given.removeprefix("-")
    column = columns.get(name, name)
    return Ordering(column, is_descending=name != given, past=(past or {}).get(column))


@dataclass(frozen=True, slots=True)
class _Edge:
    """The row after, or before, which a page begins: its key, and its text in the sorted column."""

    key: Any
    value: str = ""
    moment: int = 0
    """When the first page was read, of an order with a past."""


class BadPageError(DomainError):
    """The cursor or page size in the query string is not one of ours."""

    status = 400


class IdCursorPagination(BasePagination):
    """Pages of a queryset in one order, by default of descending primary key."""

    def __init__(self, ordering: Ordering = NEWEST_FIRST) -> None:
        """Sort by this column."""
        self.ordering = ordering

    @override
    def paginate_queryset(
        self,
        queryset: Any,
        request: Request,
        view: object = None,
    ) -> list[Any]:
        """Return the rows of the requested page, and keep the links for the response."""
        size = _page_size(request.query_params.get("page_size"))
        order = self.ordering
        direction, edge = _decoded(request.query_params.get("cursor"), queryset, order)
        moment = edge.moment if edge else order.past.moment() if order.past else 0
        rows = _rows(queryset, order, direction, edge, moment, size + 1)
        has_more, rows = len(rows) > size, rows[:size]
        if direction == "before":
            rows.reverse()
        is_first = edge is None or (direction == "before" and not has_more)
        is_last = direction == "after" and not has_more
        url = request.build_absolute_uri()
        self.previous = (
            None if is_first or not rows else _link(url, "before", rows[0], order, moment)
        )
        self.next = None if is_last or not rows else _link(url, "after", rows[-1], order, moment)
        return rows

    @override
    def get_paginated_response(self, data: Any) -> Response:
        """Wrap one page of presented rows."""
        return Response({"next": self.next, "previous": self.previous, "results": data})

    @override
    def get_paginated_response_schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Describe the response for OpenAPI; `schema` is that of the whole list."""
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": link,
                "previous": link,
                "results": dict(schema),
            },
        }

    @override
    def get_schema_operation_parameters(self, view: object) -> list[dict[str, Any]]:
        """Describe the query parameters for OpenAPI."""
        size = {"type": "integer", "minimum": 1, "maximum": PAGE_SIZE_MAX, "default": PAGE_SIZE}
        cursor = {"type": "string", "maxLength": CURSOR_LENGTH_MAX}
        return [
            {"name": "page_size", "in": "query", "required": False, "schema": size},
            {"name": "cursor", "in": "query", "required": False, "schema": cursor},
        ]


def paginate(
    request: Request,
    queryset: QuerySet[Any],
    present: Presenter,
    view: object = None,
    ordering: Ordering = NEWEST_FIRST,
) -> Response:
    """Return one page of a queryset; `present` gets all its rows, so that it needs no query per row."""
    pages = IdCursorPagination(ordering)
    rows = pages.paginate_queryset(queryset, request, view)
    return pages.get_paginated_response(list(present(rows)))


def sort(queryset: QuerySet[Any], ordering: Ordering) -> QuerySet[Any]:
    """Return all rows in this order, the key last, so that an index on both serves it."""
    sign = "-" if ordering.is_descending else ""
    columns = ("pk",) if ordering.column == "pk" else (ordering.column, "pk")
    return queryset.order_by(*(f"{sign}{column}" for column in columns))


def _page_size(given: str | None) -> int:
    if given is None:
        return PAGE_SIZE
    if not (given.isascii() and given.isdigit() and len(given) <= 4):
        raise BadPageError("bad_page_size", limit=PAGE_SIZE_MAX)
    size = int(given)
    if not 1 <= size <= PAGE_SIZE_MAX:
        raise BadPageError("bad_page_size", limit=PAGE_SIZE_MAX)
    return size


def _rows(
    queryset: QuerySet[Any],
    order: Ordering,
    direction: str,
    edge: _Edge | None,
    moment: int,
    limit: int,
) -> list[Any]:
    falls = order.is_descending == (direction == "after")
    if order.past is None:
        return _part(queryset, Ordering(order.column, falls), edge, limit)
    then = Ordering("stood", falls)
    parts = (_part(part, then, edge, limit) for part in order.past.read(queryset, moment))
    rows = [row for part in parts for row in part]
    return sorted(rows, key=attrgetter("stood", "pk"), reverse=falls)[:limit]


def _part(queryset: QuerySet[Any], order: Ordering, edge: _Edge | None, limit: int) -> list[Any]:
    column = order.column
    if edge is not None:
        beyond = "lt" if order.is_descending else "gt"
        after = Q(**{f"pk__{beyond}": edge.key})
        if column != "pk":
            # The first condition is implied by the others: it is the one that an index serves.
            within = Q(**{f"{column}__{beyond}e": edge.value})
            after = within & (Q(**{f"{column}__{beyond}": edge.value}) | after)
        queryset = queryset.filter(after)
    return list(sort(queryset, order)[:limit])


def _link(url: str, direction: str, row: Any, order: Ordering, moment: int) -> str:
    text = f"{direction}:{row.pk}"
    if order.past is not None:
        text += f":{order.column}@{moment}:{row.stood}"
    elif order.column != "pk":
        text += f":{order.column}:{getattr(row, order.column)}"
    cursor = base64.urlsafe_b64encode(text.encode()).decode()
    return replace_query_param(remove_query_param(url, "cursor"), "cursor", cursor)


def _decoded(
    cursor: str | None, queryset: QuerySet[Any], order: Ordering
) -> tuple[str, _Edge | None]:
    if cursor is None:
        return "after", None
    try:
        text = base64.b64decode(cursor[:CURSOR_LENGTH_MAX], altchars=b"-_", validate=True).decode()
        direction, _, position = text.partition(":")
        if direction not in ("after", "before"):
            raise BadPageError("bad_cursor")
        return direction, _edge(queryset, position, order)
    except (binascii.Error, UnicodeDecodeError, ValidationError, ValueError) as error:
        raise BadPageError("bad_cursor") from error


def _edge(queryset: QuerySet[Any], position: str, order: Ordering) -> _Edge:
    """Return the edge that a cursor names; one of a list that is sorted otherwise is none."""
    key, _, rest = position.partition(":")
    named, _, value = rest.partition(":")
    column, at, moment = named.partition("@")
    if (column or "pk") != order.column or bool(at) != bool(order.past) or "\0" in value:
        raise BadPageError("bad_cursor")
    if not at:
        return _Edge(_known_key(queryset, key), value)
    return _Edge(_known_key(queryset, key), value, _bounded(int(moment)))


def _known_key(queryset: QuerySet[Any], position: str) -> Any:
    key = queryset.query.get_meta().pk.to_python(position)
    return _bounded(key) if isinstance(key, int) else key


def _bounded(number: int) -> int:
    if not 0 <= number < 2**63:
        raise BadPageError("bad_cursor")
    return number
