"""Pulls that the portal orders, one after the other, and what it is sent of them and of all images.

Beside the heartbeat: what an operator wants fetched may be late, work may not.
"""

import asyncio
from dataclasses import asdict, dataclass
from typing import Final, Protocol

import structlog
from docker.errors import APIError

from nodeagent.docker.images.image_store import ImageStore
from nodeagent.host.tasks import run_together
from nodeagent.ports import RuntimeUnavailableError, StartError
from wire.node_images import (
    CachedImage,
    NodeImagesReport,
    OrderedPull,
    OrderedPulls,
    PullReport,
)
from wire.values import TEXT_MAX
from wire.words import PullPhase

log = structlog.get_logger()

REPORT_S: Final = 10.0
"""Between two reports while nothing is pulled; also how late an order may be heard."""
PULLING_S: Final = 2.0
"""Between two reports while a pull is under way."""
LISTED_S: Final = 30.0
"""How old the list of images may be."""
CODE_ENGINE_SILENT: Final = "engine_silent"


class ImagesPortal(Protocol):
    """The portal, as far as it orders pulls."""

    async def exchange_images(self, report: NodeImagesReport) -> OrderedPulls | None:
        """Report, and return what to pull; None while the portal does not answer, or is older."""


class PullGivenUpError(Exception):
    """The portal does not order this pull any more."""


@dataclass(slots=True)
class PullUnderWay:
    """One ordered pull, and how far it is."""

    order: OrderedPull
    phase: PullPhase = PullPhase.WAITING
    progress_pct: int = 0
    detail: str = ""

    @property
    def report(self) -> PullReport:
        """What the portal is sent."""
        return PullReport(
            pull=self.order.pull,
            phase=self.phase,
            progress_pct=self.progress_pct,
            detail=self.detail[:TEXT_MAX],
        )


class OrderedImagePulls:
    """Does what the last answer of the portal names; what it no longer names is given up."""

    def __init__(self, store: ImageStore, portal: ImagesPortal) -> None:
        self._store = store
        self._portal = portal
        self._pulls: dict[str, PullUnderWay] = {}
        self._images: tuple[CachedImage, ...] = ()
        self._listed_at = -LISTED_S
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Report and pull until cancelled."""
        await run_together(self._report_forever(), self._pull_forever())

    async def report(self) -> None:
        """Tell the portal what is here, and take over what it orders."""
        await self._list()
        reports = tuple(pull.report for pull in self._pulls.values())
        answer = await self._portal.exchange_images(
            NodeImagesReport(images=self._images, pulls=reports)
        )
        if answer is None:
            return
        self._pulls = {
            order.pull: self._pulls.get(order.pull) or PullUnderWay(order) for order in answer.pulls
        }
        self._store.set_pull_hosts({order.login_host for order in answer.pulls} - {""})
        self._news.set()

    async def pull_all(self) -> None:
        """Do every pull that is open."""
        while (pull := next(iter(self._open()), None)) is not None:
            await self._pull(pull)

    async def _report_forever(self) -> None:
        while True:
            await self.report()
            await asyncio.sleep(PULLING_S if self._open() else REPORT_S)

    async def _pull_forever(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await self.pull_all()

    async def _pull(self, pull: PullUnderWay) -> None:
        def on_progress(percent: int) -> None:
            pull.progress_pct = max(pull.progress_pct, min(percent, 100))
            if pull.order.pull not in self._pulls:
                raise PullGivenUpError

        pull.phase = PullPhase.PULLING
        try:
            await self._store.ensure(pull.order.reference, on_progress)
        except PullGivenUpError:
            log.info("pull.given_up", image=pull.order.reference)
        except StartError as error:
            pull.phase, pull.detail = PullPhase.FAILED, error.detail
        except (RuntimeUnavailableError, APIError) as error:
            pull.phase, pull.detail = PullPhase.FAILED, f"{CODE_ENGINE_SILENT}: {error}"
        else:
            pull.phase, pull.progress_pct = PullPhase.DONE, 100
            self._listed_at = -LISTED_S

    def _open(self) -> list[PullUnderWay]:
        return [
            pull
            for pull in self._pulls.values()
            if pull.phase in (PullPhase.WAITING, PullPhase.PULLING)
        ]

    async def _list(self) -> None:
        """Look at the images again, unless that was done a moment ago."""
        now = asyncio.get_running_loop().time()
        if now - self._listed_at < LISTED_S:
            return
        references = {pull.order.reference for pull in self._pulls.values()}
        try:
            copies = await self._store.list_copies(references)
        except (RuntimeUnavailableError, StartError) as error:
            log.info("images.not_listed", error=str(error))
            return
        self._images = tuple(CachedImage(**asdict(copy)) for copy in copies)
        self._listed_at = now
