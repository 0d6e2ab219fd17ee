"""The endpoint of the pages' WebSocket: the frames that pass."""

from typing import Final

from portal.common.rest.live_endpoints import LiveEndpoint, LiveOperation
from portal.live.frames import PAGE_FRAMES

PAGE_ENDPOINTS: Final[tuple[LiveEndpoint[None], ...]] = (
    LiveEndpoint(
        "ws",
        {
            "GET": LiveOperation(
                id="live_socket_get",
                description="Open the WebSocket of a page: it says which topics to fetch again, and carries "
                "logs as they grow.\n\nThe request names the portal as its origin.",
                serve=None,
                responses={101: None},
                frames=PAGE_FRAMES,
            )
        },
    ),
)
