"""Carries out the portal's orders to save containers as images: one at a time, across restarts.

A container that builds an image is saved once its steps are done, and is notified what became of it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol, TypeVar

import structlog

from nodeagent.core.image_saves import (
    BegunSave,
    ImageSaveError,
    SaveOrder,
    SaveProgress,
    SaveStep,
    TransientSaveError,
    choose_step,
)
from nodeagent.core.state import ContainerKey
from nodeagent.ports import RuntimeUnavailableError, StartError
from wire.images import RegistryLogin
from wire.words import ExitCause, SavePhase

T = TypeVar("T")
log = structlog.get_logger()

TRIES: Final = 6
"""Of one step, while the engine or the registry does not answer."""
PAUSE_S: Final = 5.0
"""Before the second try; twice as long before each further one."""
BUILD_POLL_S: Final = 1.0
"""Between two polls whether the steps of a build are done."""
REPORT_STEP: Final = 50
"""A push is reported when it has come a fiftieth further."""


class ImageSaver(Protocol):
    """Commits and pushes. Every call may be repeated without harm; all raise `ImageSaveError`."""

    async def find_committed(self, order: SaveOrder) -> int | None:
        """Return the size of the image that is ready to be pushed; None when there is none."""

    async def commit(self, order: SaveOrder) -> int:
        """Commit a running container; return the size of the image, unpacked."""

    async def push(
        self, order: SaveOrder, login: RegistryLogin, on_progress: Callable[[int, int], None]
    ) -> str:
        """Push the image and return its digest; reports what was sent, of how much."""

    async def discard(self, save: str, reference: str) -> None:
        """Remove what a save has made on this node."""


class RegistryLogins(Protocol):
    """Logins of the platform's registry."""

    async def fetch_registry_login(self) -> RegistryLogin:
        """Return the login; raises `StartError`."""


class BegunSavesStore(Protocol):
    """Stores which saves were begun."""

    def load(self) -> dict[str, BegunSave]:
        """Return what was saved last."""

    def save(self, begun: Mapping[str, BegunSave]) -> None:
        """Save this; returns when it is on the disk."""


class Builds(Protocol):
    """The containers that build images."""

    def is_done(self, key: ContainerKey) -> bool:
        """Return whether a build's steps are done, so that it waits to be saved."""

    def write_verdict(self, key: ContainerKey, verdict: str) -> None:
        """Tell a build what became of its image; may be repeated."""


class ImageSaves:
    """The saves of one node, as the last reply of the portal has ordered them."""

    def __init__(
        self,
        saver: ImageSaver,
        logins: RegistryLogins,
        store: BegunSavesStore,
        builds: Builds,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._saver = saver
        self._builds = builds
        self._logins = logins
        self._store = store
        self._pause_s = pause_s
        self._orders: dict[str, SaveOrder] | None = None
        self._begun: dict[str, BegunSave] = {}
        self._told: set[str] = set()
        """Saves whose builds have their verdict."""
        self._changed = asyncio.Event()
        self._current: tuple[str, asyncio.Task[None]] | None = None
        self._is_running: Callable[[ContainerKey], bool] = lambda _: False
        self._on_change: Callable[[], None] = lambda: None

    def connect(
        self, is_running: Callable[[ContainerKey], bool], on_change: Callable[[], None]
    ) -> None:
        """Set how containers are looked up, and what is called when there is a change to report."""
        self._is_running, self._on_change = is_running, on_change

    def set_orders(self, orders: Sequence[SaveOrder]) -> None:
        """Take over the orders of a reply: what it does not name is given up."""
        self._orders = {order.save: order for order in orders}
        if self._current is not None and self._current[0] not in self._orders:
            self._current[1].cancel()
        self._changed.set()

    def reports(self) -> Mapping[str, SaveProgress]:
        """Return how far each ordered save has come."""
        return {
            save: self._begun[save].progress if save in self._begun else SaveProgress()
            for save in self._orders or ()
        }

    async def run(self) -> None:
        """Carry out one order after the other, until cancelled."""
        self._begun = await asyncio.to_thread(self._store.load)
        while True:
            self._changed.clear()
            await self._forget_unordered()
            due = [order for order in (self._orders or {}).values() if self._is_due(order)]
            await self._tell_builds()
            order = await asyncio.to_thread(self._first_ready, due)
            if order is not None:
                await self._carry_out_while_ordered(order)
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), BUILD_POLL_S if due else None)

    def _is_due(self, order: SaveOrder) -> bool:
        begun = self._begun.get(order.save)
        return not order.verdict and (begun is None or not begun.progress.phase.has_ended)

    def _first_ready(self, due: Sequence[SaveOrder]) -> SaveOrder | None:
        """Return the oldest order that does not wait for the steps of a build."""
        for order in due:
            if not order.is_build or self._builds.is_done(order.key):
                return order
        return None

    async def _tell_builds(self) -> None:
        orders = self._orders or {}
        self._told &= orders.keys()
        for order in list(orders.values()):
            if order.verdict and order.save not in self._told:
                await asyncio.to_thread(self._builds.write_verdict, order.key, order.verdict)
                self._told.add(order.save)

    async def _forget_unordered(self) -> None:
        """Remove what is left of saves that no reply names any more."""
        if self._orders is None:
            return
        for save in [save for save in self._begun if save not in self._orders]:
            try:
                await self._saver.discard(save, self._begun[save].reference)
            except (ImageSaveError, RuntimeUnavailableError) as error:
                log.info("image_save.not_discarded", save=save, error=str(error))
                return
            del self._begun[save]
            await self._write()

    async def _carry_out_while_ordered(self, order: SaveOrder) -> None:
        work = asyncio.create_task(self._carry_out(order))
        self._current = order.save, work
        try:
            while not work.done():  # another build may end meanwhile
                await asyncio.wait({work}, timeout=BUILD_POLL_S)
                await self._tell_builds()
            if not work.cancelled():
                work.result()
        finally:
            self._current = None
            work.cancel()

    async def _carry_out(self, order: SaveOrder) -> None:
        """Bring one save to its end, and record that."""
        if order.save not in self._begun:
            # Before anything is made: a later agent finds and removes it.
            self._begun[order.save] = BegunSave(order.reference, SaveProgress())
            await self._write()
        try:
            done = await self._save(order)
        except ImageSaveError as error:
            log.warning("image_save.failed", save=order.save, error=error.detail)
            done = replace(self._progress(order), phase=SavePhase.FAILED, detail=error.detail)
        self._set(order, done)
        await self._write()
        await self._discard(order)

    async def _save(self, order: SaveOrder) -> SaveProgress:
        size = await self._again(lambda: self._saver.find_committed(order))
        is_running = self._is_running(order.key)
        step = choose_step(is_committed=size is not None, is_running=is_running)
        if step is SaveStep.GIVE_UP:
            raise ImageSaveError("notebook_ended")
        if step is SaveStep.COMMIT:
            self._set(order, SaveProgress(SavePhase.COMMITTING))
            size = await self._again(lambda: self._saver.commit(order))
        pushing = SaveProgress(SavePhase.PUSHING, size_bytes=size or 0)
        self._set(order, pushing)
        digest = await self._again(lambda: self._push(order, pushing))
        return replace(self._progress(order), phase=SavePhase.SAVED, digest=digest)

    async def _push(self, order: SaveOrder, pushing: SaveProgress) -> str:
        try:
            login = await self._logins.fetch_registry_login()
        except StartError as error:
            code, _, detail = error.detail.partition(": ")
            is_final = error.cause is not ExitCause.NODE_FAULT
            raise (ImageSaveError if is_final else TransientSaveError)(code, detail) from error
        if login.host != order.registry:
            # The portal has another registry by now: the login of that one is not for this one.
            raise ImageSaveError("registry_login_refused", f"the login is for {login.host}")

        def report(sent: int, total: int) -> None:
            reported = self._progress(order)
            is_further = sent - reported.done_bytes > total // REPORT_STEP
            if is_further or total != reported.total_bytes:
                self._set(order, replace(pushing, done_bytes=sent, total_bytes=total))

        return await self._saver.push(order, login, report)

    async def _again(self, work: Callable[[], Awaitable[T]]) -> T:
        """Try a step again while the engine, the registry or the portal does not answer."""
        pause_s = self._pause_s
        for left in reversed(range(TRIES)):
            try:
                return await work()
            except TransientSaveError:
                if not left:
                    raise
            except RuntimeUnavailableError as error:
                if not left:
                    raise ImageSaveError("engine_silent", str(error)) from error
            await asyncio.sleep(pause_s)
            pause_s *= 2
        raise AssertionError("unreachable: the last try returns or raises")

    async def _discard(self, order: SaveOrder) -> None:
        """Remove what was made: the image is in the registry, or the save has failed."""
        try:
            await self._saver.discard(order.save, order.reference)
        except (ImageSaveError, RuntimeUnavailableError) as error:
            # Repeated once the portal no longer names the save.
            log.info("image_save.not_discarded", save=order.save, error=str(error))

    def _progress(self, order: SaveOrder) -> SaveProgress:
        return self._begun[order.save].progress

    def _set(self, order: SaveOrder, progress: SaveProgress) -> None:
        self._begun[order.save] = BegunSave(order.reference, progress)
        self._on_change()

    async def _write(self) -> None:
        """Write what was begun; where the disk refuses, a later agent begins these saves again."""
        try:
            await asyncio.to_thread(self._store.save, dict(self._begun))
        except OSError as error:
            log.warning("image_save.not_written", error=str(error))
