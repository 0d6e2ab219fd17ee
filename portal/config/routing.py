"""Routing of the live process: by origin, then by kind of connection and path."""

import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import App, Receive, Scope, Send, get_header, raw_path, send_response
from portal.common.origins import HostPattern, Origin
from portal.common.rest.live_endpoints import LiveEndpoint, find_endpoint
from portal.common.rest.problems import Problem

_NOT_FOUND: Final = 404
_WRONG_HOST: Final = Problem(421, "wrong_host", {})


@dataclass(frozen=True, slots=True)
class Route:
    """Connections of one kind whose whole path matches go to an application."""

    app: App
    path: re.Pattern[str] | None = None
    """None matches every path. What users call is no path here but described endpoints."""
    scope_type: Literal["http", "websocket"] | None = None
    """None matches both."""

    def matches(self, scope: Scope) -> bool:
        """Return whether the application serves this connection."""
        if self.scope_type not in (None, scope["type"]):
            return False
        return self.path is None or self.path.fullmatch(raw_path(scope)) is not None


@dataclass(frozen=True, slots=True)
class EndpointsRoute:
    """Connections to endpoints that are described go to an application."""

    app: App
    endpoints: tuple[LiveEndpoint[Any], ...]

    def matches(self, scope: Scope) -> bool:
        """Return whether the application serves this connection."""
        found = find_endpoint(self.endpoints, raw_path(scope))
        return found is not None and found[0].is_socket == (scope["type"] == "websocket")


@dataclass(frozen=True, slots=True)
class Host:
    """The routes of one origin, or of many that are equal; the first that matches counts."""

    origin: Origin | HostPattern
    routes: tuple[Route | EndpointsRoute, ...]


@dataclass(frozen=True, slots=True)
class Router:
    """ASGI application that serves by the `Host` header: one of our origins exactly, or nothing."""

    hosts: tuple[Host, ...]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a connection on to its route; 421 for a foreign host, 404 without a route."""
        name = get_header(scope, b"host")
        host = next((host for host in self.hosts if host.origin.is_host(name)), None)
        if host is None:
            await send_problem(scope, send, _WRONG_HOST)
            return
        for route in host.routes:
            if route.matches(scope):
                await route.app(scope, receive, send)
                return
        await send_response(scope, send, _NOT_FOUND, [])
