"""What the live process answers on the portal's origin; what users may call of it is in the OpenAPI document."""

import re
from dataclasses import dataclass
from typing import Any, Final

from portal.access.terminal.endpoints import TERMINAL_ENDPOINTS
from portal.agentlink.streams import STREAM_PATH
from portal.common.asgi.types import App
from portal.common.rest.live_endpoints import LiveEndpoint
from portal.common.rest.live_schema import Described, describe_endpoints
from portal.config.routing import EndpointsRoute, Route
from portal.live.endpoints import PAGE_ENDPOINTS
from portal.live.streams import STREAM_ENDPOINTS
from portal.transfers.endpoints import TRANSFER_ENDPOINTS

LIVE_ENDPOINTS: Final[tuple[LiveEndpoint[Any], ...]] = (
    *TERMINAL_ENDPOINTS,
    *TRANSFER_ENDPOINTS,
    *PAGE_ENDPOINTS,
    *STREAM_ENDPOINTS,
)
_NODE_LINK_PATH: Final = re.compile("/node/v1/link")


@dataclass(frozen=True, slots=True)
class PortalApps:
    """The applications behind the portal's origin."""

    node_link: App
    node_streams: App
    terminals: App
    transfers: App
    pages: App
    streams: App
    web: App
    """Serves what none of the others does."""


def build_routes(apps: PortalApps) -> tuple[Route | EndpointsRoute, ...]:
    """Return the routes of the portal's origin; the first that matches counts."""
    return (
        Route(apps.node_link, _NODE_LINK_PATH, "websocket"),
        Route(apps.node_streams, STREAM_PATH, "websocket"),
        EndpointsRoute(apps.terminals, TERMINAL_ENDPOINTS),
        EndpointsRoute(apps.transfers, TRANSFER_ENDPOINTS),
        EndpointsRoute(apps.pages, PAGE_ENDPOINTS),
        EndpointsRoute(apps.streams, STREAM_ENDPOINTS),
        Route(apps.web, scope_type="http"),
    )


def add_live_operations(endpoints: list[Described]) -> list[Described]:
    """Add what the live process answers to what Django does; a hook of the generator of the document."""
    return [*endpoints, *describe_endpoints(LIVE_ENDPOINTS)]
