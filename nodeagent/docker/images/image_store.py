"""Images of this node: pulled for a start or beforehand, removed when the disk runs full.

Only what this agent has pulled itself is ever removed: images that an administrator imported or
built here could not be pulled again.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog
from docker.errors import APIError, NotFound

from nodeagent.docker.engine.client import WORK_S, DockerEngine
from nodeagent.docker.engine.errors import (
    IMAGE_WRONG_PLATFORM,
    REGISTRY_UNREACHABLE,
    classify_engine_error,
    start_error_of,
    to_start_error,
)
from nodeagent.docker.images.image_copy import ImageCopy, describe_copy
from nodeagent.docker.images.image_ledger import ImageLedger
from nodeagent.docker.images.pull import MIB, Pull
from nodeagent.host.clock import SystemClock
from nodeagent.host.disk_space import DiskLimits, DiskSpaceInspection, read_used_pct
from nodeagent.host.threads import run_in_daemon_thread
from nodeagent.ports import InspectionFindings, RuntimeUnavailableError, StartError
from wire.images import RegistryLogin, registry_host

log = structlog.get_logger()

PULL_S: Final = 1700
"""A little less than a start may take in all."""
WATCH_S: Final = 0.3
"""Between checks of a pull: its progress, and whether it is still wanted."""
COPIES_MAX: Final = 256
"""Images that are listed."""
MAINTAIN_S: Final = 30.0
FAILED_S: Final = 300.0
"""Before an image that could not be prefetched is tried again."""

PullCallback = Callable[[int], None]
"""Receives the percentage; raises `StartError` when the pull is not wanted any more."""
FetchLogin = Callable[[str], Awaitable[RegistryLogin]]
"""Returns the login of a registry by its host; raises `StartError`."""


@dataclass(frozen=True, slots=True)
class ImageStoreSettings:
    """Limits of pulls and of the disk space that images use."""

    bytes_max: int = 100 * 1024 * MIB
    """Compressed size of one image."""
    tries: int = 3
    """Of one pull, for transient errors."""
    backoff_s: float = 2.0
    """Before the second try; four times longer before each further one."""
    clean_above_pct: int = 85
    """Of the disk with the images: from here on the longest unused ones are removed."""
    clean_below_pct: int = 75
    disk_limits: DiskLimits = field(default_factory=DiskLimits)
    """Below these limits the node takes no new work."""


class ImageStore:
    """The images of one engine, as this agent needs them."""

    def __init__(
        self, engine: DockerEngine, ledger: ImageLedger, settings: ImageStoreSettings
    ) -> None:
        self._engine = engine
        self._ledger = ledger
        self._settings = settings
        self._wanted: tuple[str, ...] = ()
        self._news = asyncio.Event()
        self._busy: Counter[str] = Counter()
        self._removing: dict[str, asyncio.Event] = {}
        self._failed_at: dict[str, int] = {}
        self._root: Path | None = None
        self._disk_space: DiskSpaceInspection | None = None
        self._platform: tuple[str, str] | None = None
        self._fetch_login: FetchLogin | None = None
        self._login_hosts: frozenset[str] = frozenset()
        self._pull_hosts: frozenset[str] = frozenset()

    def use_logins(self, fetch: FetchLogin) -> None:
        """Ask here for the login of a registry that needs one, whenever an image is pulled from it."""
        self._fetch_login = fetch

    def set_pull_hosts(self, hosts: Collection[str]) -> None:
        """Note from which registries images are pulled on order with a login."""
        self._pull_hosts = frozenset(hosts)

    def set_wanted(self, references: tuple[str, ...], login_hosts: Collection[str] = ()) -> None:
        """Keep these images here from now on, and prefetch them; these registries need a login."""
        self._login_hosts = frozenset(login_hosts)
        if references != self._wanted:
            self._wanted = references
            self._news.set()

    async def inspect(self) -> InspectionFindings:
        """Return how full the disk with the images is, where this agent can see it.

        The `Inspection` port; raises `RuntimeUnavailableError` while the engine does not answer.
        """
        folder = await self._find_folder()
        if not folder.is_dir():
            return InspectionFindings()
        if self._disk_space is None:
            self._disk_space = DiskSpaceInspection({"images": folder}, self._settings.disk_limits)
        return await self._disk_space.inspect()

    async def ensure(
        self, reference: str, on_progress: PullCallback, login: RegistryLogin | None = None
    ) -> dict[str, Any]:
        """Return the description of an image that can run here, pulled if it is missing.

        Raises `StartError`.
        """
        async with self.in_use(reference):
            found = await self._find(reference)
            if found is None:
                login = login or await self._find_login(reference)
                found = await self._pull_with_retries(reference, on_progress, login)
                self._ledger.record_pull(reference, SystemClock().wall_ms())
            self._ledger.record_use(reference, SystemClock().wall_ms())
            await self._check_platform(found)
            return found

    async def list_copies(self, also: Collection[str] = ()) -> tuple[ImageCopy, ...]:
        """Return the images here that this agent has pulled, wants, or is asked about.

        Raises `RuntimeUnavailableError` while the engine does not answer.
        """
        times, arrivals = self._ledger.use_times(), self._ledger.arrivals()
        references = dict.fromkeys((*also, *self._wanted, *reversed(times)))
        found = [
            describe_copy(reference, attrs, arrivals.get(reference, 0), times.get(reference, 0))
            for reference in references
            if (attrs := await self._find(reference)) is not None
        ]
        return tuple(found[:COPIES_MAX])

    async def maintain(self) -> None:
        """Prefetch images one after the other, and keep the disk from filling, until cancelled."""
        while True:
            try:
                await self.clean()
                await self.prefetch()
            except (RuntimeUnavailableError, APIError, StartError) as error:
                log.info("images.unattended", error=str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(MAINTAIN_S):
                    await self._news.wait()
            self._news.clear()

    async def prefetch(self) -> None:
        """Pull each wanted image that is missing, unless the disk is too full already."""
        for reference in self._wanted:
            now = SystemClock().now_ms()
            if now - self._failed_at.get(reference, -(10**12)) < FAILED_S * 1000:
                continue
            if await self._used_pct() >= self._settings.clean_above_pct:
                return
            try:
                await self.ensure(reference, lambda _: None)
            except StartError as error:
                log.warning("image.not_fetched", image=reference, error=error.detail)
                self._failed_at[reference] = now

    async def clean(self) -> None:
        """On a full disk, remove images that are neither used nor wanted, the longest unused first."""
        if await self._used_pct() < self._settings.clean_above_pct:
            return
        held = await self._list_image_ids_in_use()
        for reference in self._ledger.least_recently_used():
            if await self._used_pct() < self._settings.clean_below_pct:
                return
            found = await self._find(reference)
            if found is None:
                self._ledger.forget(reference)
            elif found["Id"] not in held and not self._is_needed(reference):
                await self._remove(reference)

    def _is_needed(self, reference: str) -> bool:
        return reference in self._wanted or self._busy[reference] > 0

    @asynccontextmanager
    async def in_use(self, reference: str) -> AsyncIterator[None]:
        """Keep an image from being removed inside the block; waits for a removal in progress."""
        while (removal := self._removing.get(reference)) is not None:
            await removal.wait()
        self._busy[reference] += 1
        try:
            yield
        finally:
            self._busy[reference] -= 1
            if not self._busy[reference]:
                del self._busy[reference]

    async def _find_login(self, reference: str) -> RegistryLogin | None:
        """Return the login of another registry; None is the agent's own Docker configuration."""
        host = registry_host(reference)
        if self._fetch_login is None or host not in self._login_hosts | self._pull_hosts:
            return None
        return await self._fetch_login(host)

    async def _pull_with_retries(
        self, reference: str, on_progress: PullCallback, login: RegistryLogin | None
    ) -> dict[str, Any]:
        """Try again after transient errors: a few times, with growing pauses."""
        pause_s = self._settings.backoff_s
        for tries_left in reversed(range(self._settings.tries)):
            try:
                await self._pull(reference, on_progress, login)
                found = await self._find(reference)
                if found is not None:
                    return found
                # A stream that breaks off looks like one that ends.
                raise start_error_of(REGISTRY_UNREACHABLE, "the pull broke off")
            except StartError as error:
                if not tries_left or not classify_engine_error(error.detail).is_transient:
                    raise
                log.info("pull.again", image=reference, error=error.detail)
            await _pause(pause_s, on_progress)
            pause_s *= 4
        raise AssertionError("the last try returns or raises")

    async def _pull(
        self, reference: str, on_progress: PullCallback, login: RegistryLogin | None
    ) -> None:
        pull = Pull(self._engine.client_for, reference, self._settings.bytes_max, login)
        work = asyncio.ensure_future(self._engine.call_long(pull.run, PULL_S))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=WATCH_S)
                on_progress(pull.percent)
            work.result()
        finally:
            work.cancel()
            await run_in_daemon_thread(pull.cancel, "hang up")

    async def _find(self, reference: str) -> dict[str, Any] | None:
        try:
            found = await self._engine.call(lambda: self._engine.quick_client.images.get(reference))
        except NotFound:
            return None
        except APIError as error:
            raise to_start_error(str(error.explanation or error)) from error
        return dict(found.attrs)

    async def _check_platform(self, found: dict[str, Any]) -> None:
        """Refuse an image that this machine cannot run: the engine would fail only at the start."""
        if self._platform is None:
            host = await self._engine.read_version()
            self._platform = host["Os"], host["Arch"]
        image = found.get("Os"), found.get("Architecture")
        if image != self._platform:
            detail = f"made for {image[0]}/{image[1]}, not for {'/'.join(self._platform)}"
            raise start_error_of(IMAGE_WRONG_PLATFORM, detail)

    async def _list_image_ids_in_use(self) -> frozenset[str]:
        """Return the ids of the images of all containers, also of those that are not the agent's."""
        rows = await self._engine.call(lambda: self._engine.quick_client.api.containers(all=True))
        return frozenset(row["ImageID"] for row in rows)

    async def _remove(self, reference: str) -> None:
        self._removing[reference] = asyncio.Event()
        try:
            await self._engine.call(
                lambda: self._engine.slow_client.api.remove_image(reference), WORK_S
            )
        except APIError as error:
            log.info("image.kept", image=reference, error=str(error))
            return
        finally:
            self._removing.pop(reference).set()
        self._ledger.forget(reference)
        log.info("image.removed", image=reference)

    async def _used_pct(self) -> int:
        """Return how full the disk with the images is; 0 where the agent cannot see it."""
        return await read_used_pct(await self._find_folder())

    async def _find_folder(self) -> Path:
        """Return where the engine keeps images; read once, because only its restart can change it."""
        if self._root is None:
            self._root = Path((await self._engine.read_info())["DockerRootDir"])
        return self._root


async def _pause(seconds: float, on_progress: PullCallback) -> None:
    """Wait, unless the pull is not wanted any more."""
    until = SystemClock().now_ms() + int(seconds * 1000)
    while SystemClock().now_ms() < until:
        on_progress(0)
        await asyncio.sleep(min(WATCH_S, seconds))
