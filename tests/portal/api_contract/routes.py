"""All REST routes of the platform, read from the URL resolver."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from portal.common.ids import new_id

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SAMPLES: dict[str, Callable[[], str]] = {
    "uuid": lambda: str(new_id()),
    "int": lambda: "0",
    "path": lambda: "a/b",
}


@dataclass(frozen=True)
class Route:
    """One address pattern with its view class."""

    pattern: str
    view: Any

    @property
    def methods(self) -> list[str]:
        """Return the methods that the view implements."""
        return [method for method in METHODS if hasattr(self.view, method.lower())]

    def address(self) -> str:
        """Return the address with invented identifiers."""
        return "/" + re.sub(r"<(\w+):\w+>", lambda found: SAMPLES[found[1]](), self.pattern)


def api_routes() -> list[Route]:
    """Return every route below the API's prefix."""
    found = _walk(get_resolver().url_patterns, "")
    return [route for route in found if route.pattern.startswith("api/v1/")]


def operations() -> list[tuple[Route, str]]:
    """Return every method of every route."""
    return [(route, method) for route in api_routes() for method in route.methods]


def named(operation: tuple[Route, str]) -> str:
    """Return a name for test output."""
    route, method = operation
    return f"{method} /{route.pattern}"


def _walk(patterns: Sequence[URLPattern | URLResolver], prefix: str) -> Iterator[Route]:
    for item in patterns:
        where = prefix + str(item.pattern)
        if isinstance(item, URLResolver):
            yield from _walk(item.url_patterns, where)
        elif view := getattr(item.callback, "view_class", None):
            yield Route(where, view)
