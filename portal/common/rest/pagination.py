"""Lists, newest first, in pages; the cursor is an id, so pages do not shift when rows are added."""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from typing_extensions import override

from portal.common.errors import DomainError

PAGE_SIZE = 50
PAGE_SIZE_MAX = 200
"""Rows of one page of a list."""
CURSOR_LENGTH_MAX = 100
"""Characters of a cursor."""

Presenter = Callable[[Sequence[Any]], Iterable[Any]]
"""Turns the rows of one page into what the client sees."""


class BadPageError(DomainError):
    """The cursor or page size in the query string is not one of ours."""

    status = 400


class IdCursorPagination(BasePagination):
    """Pages of a queryset ordered by descending primary key."""

    @override
    def paginate_queryset(
        self,
        queryset: Any,
        request: Request,
        view: object = None,
    ) -> list[Any]:
        """Return the rows of the requested page, and keep the links for the response."""
        size = _page_size(request.query_params.get("page_size"))
        direction, position = _decoded(request.query_params.get("cursor"), queryset)
        rows = _rows(queryset, direction, position, size + 1)
        has_more, rows = len(rows) > size, rows[:size]
        if direction == "before":
            rows.reverse()
        is_first = position is None or (direction == "before" and not has_more)
        is_last = direction == "after" and not has_more
        url = request.build_absolute_uri()
        self.previous = None if is_first or not rows else _link(url, "before", rows[0].pk)
        self.next = None if is_last or not rows else _link(url, "after", rows[-1].pk)
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
    request: Request, queryset: QuerySet[Any], present: Presenter, view: object = None
) -> Response:
    """Return one page of a queryset; `present` gets all its rows, so that it needs no query per row."""
    pages = IdCursorPagination()
    rows = pages.paginate_queryset(queryset, request, view)
    return pages.get_paginated_response(list(present(rows)))


def _page_size(given: str | None) -> int:
    if given is None:
        return PAGE_SIZE
    if not (given.isascii() and given.isdigit() and len(given) <= 4):
        raise BadPageError("bad_page_size", limit=PAGE_SIZE_MAX)
    size = int(given)
    if not 1 <= size <= PAGE_SIZE_MAX:
        raise BadPageError("bad_page_size", limit=PAGE_SIZE_MAX)
    return size


def _rows(queryset: QuerySet[Any], direction: str, position: Any, limit: int) -> list[Any]:
    if direction == "before":
        return list(queryset.filter(pk__gt=position).order_by("pk")[:limit])
    if position is not None:
        queryset = queryset.filter(pk__lt=position)
    return list(queryset.order_by("-pk")[:limit])


def _link(url: str, direction: str, position: object) -> str:
    cursor = base64.urlsafe_b64encode(f"{direction}:{position}".encode()).decode()
    return replace_query_param(remove_query_param(url, "cursor"), "cursor", cursor)


def _decoded(cursor: str | None, queryset: QuerySet[Any]) -> tuple[str, Any]:
    if cursor is None:
        return "after", None
    try:
        text = base64.b64decode(cursor[:CURSOR_LENGTH_MAX], altchars=b"-_", validate=True).decode()
        direction, _, position = text.partition(":")
        if direction not in ("after", "before"):
            raise BadPageError("bad_cursor")
        return direction, _known_key(queryset, position)
    except (binascii.Error, UnicodeDecodeError, ValidationError, ValueError) as error:
        raise BadPageError("bad_cursor") from error


def _known_key(queryset: QuerySet[Any], position: str) -> Any:
    key = queryset.query.get_meta().pk.to_python(position)
    if isinstance(key, int) and not 0 <= key < 2**63:
        raise BadPageError("bad_cursor")
    return key
