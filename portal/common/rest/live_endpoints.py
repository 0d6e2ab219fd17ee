"""Endpoints that the live process answers itself, in tables that its router and the OpenAPI document read.

An operation stands beside what serves it and says all that a caller may send and get: there is no route
without a description.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from django.urls.resolvers import RoutePattern
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from portal.common.frames import SocketFrames

H = TypeVar("H")

REFUSALS: Final = (400, 401, 403, 404, 408, 414, 429, 431, 503)
"""Refusals of any request that the live process answers."""
OF_WEB: Final = (406, 502, 504)
"""Refusals besides, where the web process has a part in the answer."""


@dataclass(frozen=True, slots=True)
class LiveOperation(Generic[H]):
    """One method of an endpoint: who serves it, and what it takes and answers."""

    id: str
    """Of the operation in the document."""
    description: str
    serve: H
    """What its application does for it."""
    responses: Mapping[Any, Any]
    """What is no refusal: status, or status and media type, and the shape of the body."""
    parameters: tuple[OpenApiParameter | type[serializers.Serializer[Any]], ...] = ()
    """Query and headers of the request, and headers of the answers."""
    request: Mapping[str, Any] = field(default_factory=dict)
    """Shape of the body by its media type; empty takes none."""
    refusals: tuple[int, ...] = ()
    """Beside those of any request."""
    is_public: bool = False
    """Whether it is answered without signing in."""
    frames: SocketFrames | None = None
    """What passes through the WebSocket that it opens; None opens none."""


@dataclass(frozen=True, slots=True)
class LiveEndpoint(Generic[H]):
    """An address, as Django writes routes, and its operations by method."""

    route: str
    operations: Mapping[str, LiveOperation[H]]
    _pattern: RoutePattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the route once; an endpoint without an operation is a mistake."""
        if not self.operations:
            raise ValueError(self.route)
        object.__setattr__(self, "_pattern", RoutePattern(self.route, is_endpoint=True))

    @property
    def is_socket(self) -> bool:
        """Return whether connections to it are WebSockets."""
        return any(operation.frames for operation in self.operations.values())

    def match(self, path: str) -> Mapping[str, Any] | None:
        """Return what a path, as it was sent, names; None if it is another address."""
        found = self._pattern.match(path.removeprefix("/"))
        return found[2] if found else None

    def find(self, method: str) -> LiveOperation[H] | None:
        """Return the operation of a method; `HEAD` is answered as `GET` unless it has its own."""
        found = self.operations.get(method)
        return self.operations.get("GET") if found is None and method == "HEAD" else found

    @property
    def allowed(self) -> str:
        """Return the methods as a refusal of another one names them."""
        heads = ("HEAD",) if "GET" in self.operations and "HEAD" not in self.operations else ()
        return ", ".join((*self.operations, *heads))


def find_endpoint(
    endpoints: Iterable[LiveEndpoint[H]], path: str
) -> tuple[LiveEndpoint[H], Mapping[str, Any]] | None:
    """Return the endpoint at a path, and what the path names."""
    for endpoint in endpoints:
        if (named := endpoint.match(path)) is not None:
            return endpoint, named
    return None
