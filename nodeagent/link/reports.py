"""Reports the images of this node to the portal, with the node's key."""

from http import HTTPStatus
from typing import Final

import aiohttp
import structlog
from pydantic import ValidationError

from nodeagent.link.identity import NodeCredentials
from nodeagent.link.secrets import TIMEOUT_S
from wire.node_images import NodeImagesReport, OrderedPulls

log = structlog.get_logger()

IMAGES_PATH: Final = "/node/v1/images"


class PortalImages:
    """The `ImagesPortal` port over HTTP."""

    def __init__(self, portal_url: str, credentials: NodeCredentials) -> None:
        self._url = portal_url.rstrip("/") + IMAGES_PATH
        self._credentials = credentials

    async def exchange_images(self, report: NodeImagesReport) -> OrderedPulls | None:
        """Report, and return what to pull; None while the portal does not answer, or is older."""
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(
                    self._url, json=report.model_dump(), headers=self._credentials.headers()
                ) as answer,
            ):
                if answer.status != HTTPStatus.OK:
                    log.debug("images.not_reported", status=answer.status)
                    return None
                return OrderedPulls.model_validate_json(await answer.text())
        except (aiohttp.ClientError, TimeoutError, OSError, ValidationError) as error:
            log.debug("images.not_reported", error=type(error).__name__)
            return None
