"""Fills the cache of data sets: with what the portal orders, and with what work here has mounted.

Beside the heartbeat, as the pulls of images are. One copy at a time: the storage serves others, too.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import structlog

from nodeagent.datasets.cache import DatasetCache, NoRoomError, version_in
from nodeagent.host.secure_paths import UnsafePathError, resolve_beneath
from nodeagent.host.tasks import run_together
from nodeagent.host.threads import run_in_daemon_thread
from wire.node_datasets import (
    CACHED_VERSIONS_MAX,
    CachedVersion,
    NodeDatasetsReport,
    VersionsToCache,
    VersionToCache,
)
from wire.values import TEXT_MAX
from wire.words import CachePhase

log = structlog.get_logger()

REPORT_S: Final = 10.0
"""Between two reports while nothing is copied; also how late an order may be heard."""
COPYING_S: Final = 2.0
"""Between two reports while a copy is under way."""
RETRY_S: Final = 300.0
"""How long a version that could not be copied is left alone."""
CODE_NO_ROOM: Final = "cache_full"
CODE_COPY_FAILED: Final = "copy_failed"


class DatasetsPortal(Protocol):
    """The portal, as far as it orders what is cached."""

    async def exchange_datasets(self, report: NodeDatasetsReport) -> VersionsToCache | None:
        """Report, and return what to keep; None while the portal does not answer, or is older."""


class CopyGivenUpError(Exception):
    """Nobody wants this copy any more."""


@dataclass(slots=True)
class CopyUnderWay:
    """A version that is not here yet, and how far its copy is."""

    order: VersionToCache
    is_used: bool = False
    """Whether work here has mounted it; else the portal has ordered it."""
    phase: CachePhase = CachePhase.WAITING
    done_bytes: int = 0
    size_bytes: int = 0
    """0 before its files are counted."""
    detail: str = ""
    failed_at: float = 0.0

    @property
    def report(self) -> CachedVersion:
        """What the portal is sent."""
        size = self.size_bytes or self.order.size_bytes
        return CachedVersion(
            version=self.order.version,
            phase=self.phase,
            progress_pct=min(100 * self.done_bytes // size, 99) if size else 0,
            size_bytes=size,
            detail=self.detail[:TEXT_MAX],
        )


@contextmanager
def _logged(step: str) -> Iterator[None]:
    """Continue after a fault of the disk: it may be over at the next step."""
    try:
        yield
    except OSError as error:
        log.warning("dataset_cache.failed", step=step, error=str(error))


class DatasetCaching:
    """Copies what the last answer of the portal names, then what work has mounted meanwhile."""

    def __init__(self, cache: DatasetCache, storage_dir: Path, portal: DatasetsPortal) -> None:
        self._cache = cache
        self._storage_dir = storage_dir
        self._portal = portal
        self._wanted: frozenset[str] = frozenset()
        self._copies: dict[str, CopyUnderWay] = {}
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Report and copy until cancelled."""
        with _logged("tidy"):
            await asyncio.to_thread(self._cache.tidy)
        await run_together(self._report_forever(), self._copy_forever())

    async def report(self) -> None:
        """Tell the portal what is here and on its way, and take over what it orders."""
        whole = await asyncio.to_thread(self._cache.list_copies)
        here = {copy.version for copy in whole}
        for missed in self._missed():
            if missed.version not in here:
                self._add(missed, is_used=True)
        reports = [
            CachedVersion(
                version=copy.version,
                phase=CachePhase.CACHED,
                progress_pct=100,
                size_bytes=copy.size_bytes,
                used_at=copy.used_at,
            )
            for copy in whole
        ]
        reports += [copy.report for copy in self._copies.values() if copy.order.version not in here]
        answer = await self._portal.exchange_datasets(
            NodeDatasetsReport(
                limit_mib=self._cache.limit_mib, versions=tuple(reports[:CACHED_VERSIONS_MAX])
            )
        )
        if answer is None:
            return
        gone = set(answer.gone)
        self._wanted = frozenset(order.version for order in answer.wanted)
        self._copies = {
            name: copy
            for name, copy in self._copies.items()
            if name not in gone and (copy.is_used or name in self._wanted)
        }
        for order in answer.wanted:
            if order.version not in here:
                self._add(order)
        if gone:
            await asyncio.to_thread(self._cache.remove, gone)
        self._news.set()

    async def copy_all(self) -> None:
        """Copy every version that waits, those that are ordered first."""
        while (copy := self._next()) is not None:
            await self._copy(copy)

    def _missed(self) -> list[VersionToCache]:
        """Return what work has mounted from the storage: the work that comes next is to have it nearer."""
        found = [(version_in(item), item) for item in self._cache.take_missed()]
        return [VersionToCache(version=name, path=item.path) for name, item in found if name]

    def _add(self, order: VersionToCache, *, is_used: bool = False) -> None:
        copy = self._copies.setdefault(order.version, CopyUnderWay(order))
        copy.is_used = copy.is_used or is_used

    def _next(self) -> CopyUnderWay | None:
        now = asyncio.get_running_loop().time()
        for copy in self._copies.values():
            if copy.phase is CachePhase.FAILED and now - copy.failed_at >= RETRY_S:
                copy.phase, copy.done_bytes = CachePhase.WAITING, 0
        waiting = [it for it in self._copies.values() if it.phase is CachePhase.WAITING]
        waiting.sort(key=lambda it: it.order.version not in self._wanted)
        return next(iter(waiting), None)

    async def _copy(self, copy: CopyUnderWay) -> None:
        version = copy.order.version

        def on_progress(done_bytes: int, size_bytes: int) -> None:
            copy.done_bytes, copy.size_bytes = done_bytes, size_bytes
            if version not in self._copies:
                raise CopyGivenUpError

        copy.phase = CachePhase.COPYING
        try:
            source = resolve_beneath(self._storage_dir, copy.order.path).path
            await run_in_daemon_thread(
                lambda: self._cache.fill(version, source, self._wanted, on_progress),
                "dataset-copy",
            )
        except CopyGivenUpError:
            with _logged("remove"):
                await asyncio.to_thread(self._cache.remove, [version])
        except NoRoomError:
            self._fail(copy, f"{CODE_NO_ROOM}: {self._cache.limit_mib} MiB")
        except (OSError, UnsafePathError) as error:
            self._fail(copy, f"{CODE_COPY_FAILED}: {error}")
        else:
            self._copies.pop(version, None)
            log.info("dataset.cached", version=version)

    def _fail(self, copy: CopyUnderWay, detail: str) -> None:
        log.warning("dataset.not_cached", version=copy.order.version, detail=detail)
        copy.phase, copy.detail = CachePhase.FAILED, detail
        copy.failed_at = asyncio.get_running_loop().time()

    async def _report_forever(self) -> None:
        while True:
            with _logged("report"):
                await self.report()
            is_copying = any(it.phase is CachePhase.COPYING for it in self._copies.values())
            await asyncio.sleep(COPYING_S if is_copying else REPORT_S)

    async def _copy_forever(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await self.copy_all()
