"""Reports of images, cached data sets and checks of the host to the portal, beside the heartbeat, with the node's key."""

from http import HTTPStatus
from typing import Final, TypeVar

import aiohttp
import structlog
from pydantic import ValidationError

from nodeagent.link.identity import NodeCredentials
from nodeagent.link.secrets import TIMEOUT_S
from wire.node_checks import ChecksTaken, NodeChecksReport
from wire.node_datasets import NodeDatasetsReport, VersionsToCache
from wire.node_images import NodeImagesReport, OrderedPulls
from wire.values import Message

log = structlog.get_logger()

IMAGES_PATH: Final = "/node/v1/images"
DATASETS_PATH: Final = "/node/v1/datasets"
CHECKS_PATH: Final = "/node/v1/checks"
_Answer = TypeVar("_Answer", bound=Message)


class PortalReports:
    """The `ImagesPortal`, `DatasetsPortal` and `ChecksPortal` ports over HTTP."""

    def __init__(self, portal_url: str, credentials: NodeCredentials) -> None:
        self._url = portal_url.rstrip("/")
        self._credentials = credentials

    async def exchange_images(self, report: NodeImagesReport) -> OrderedPulls | None:
        """Report, and return what to pull; None while the portal does not answer, or is older."""
        return await self._exchange(IMAGES_PATH, report, OrderedPulls)

    async def exchange_datasets(self, report: NodeDatasetsReport) -> VersionsToCache | None:
        """Report, and return what to cache; None while the portal does not answer, or is older."""
        return await self._exchange(DATASETS_PATH, report, VersionsToCache)

    async def report_checks(self, report: NodeChecksReport) -> bool:
        """Report, and return whether the portal has taken it; one that does not answer has not."""
        return await self._exchange(CHECKS_PATH, report, ChecksTaken) is not None

    async def _exchange(self, path: str, report: Message, answer: type[_Answer]) -> _Answer | None:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        headers = self._credentials.headers()
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(self._url + path, json=report.model_dump(), headers=headers) as found,
            ):
                if found.status != HTTPStatus.OK:
                    log.debug("report.refused", path=path, status=found.status)
                    return None
                return answer.model_validate_json(await found.text())
        except (aiohttp.ClientError, TimeoutError, OSError, ValidationError) as error:
            log.debug("report.not_sent", path=path, error=type(error).__name__)
            return None
