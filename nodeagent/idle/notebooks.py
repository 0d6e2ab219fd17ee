"""The notebooks of a node as the running agent uses them: looked at, parked, brought back."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from nodeagent.core.commands import ReacquireGpus, ReleaseGpus
from nodeagent.core.events import Event
from nodeagent.idle.activity_monitor import ActivityMonitor
from nodeagent.idle.gpu_release import GpuReleaser
from nodeagent.ports import ContainerSupervisor, StartError
from nodeagent.telemetry.reading import NodeReading
from wire.words import ExitCause

log = structlog.get_logger()

STRAYS_S: Final = 1.0
MOVE_S: Final = 600.0
"""Gigabytes are copied between card and host; every step of it has its own deadline."""


class IdleNotebooks:
    """What `Runner` knows of idle notebooks."""

    def __init__(
        self, watch: ActivityMonitor, parking: GpuReleaser, strays: Callable[[], frozenset[int]]
    ) -> None:
        self._watch = watch
        self._parking = parking
        self._strays = strays

    def take(self, reading: NodeReading) -> None:
        """Hear what was seen of the node."""
        self._watch.take(reading)

    async def look(self, tell: Callable[[Event], None]) -> None:
        """Tell for ever when each of them was last in use."""
        await self._watch.run(tell)

    async def guard(self) -> None:
        """End for ever what is on cards that its notebook has given up.

        An engine cannot take a device from a living container: this keeps the cards of others
        free of it, a second after it was seen.
        """
        while True:
            await asyncio.sleep(STRAYS_S)
            for pid in self._strays():
                log.warning("cards.stray", pid=pid)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    async def move(
        self,
        order: ReleaseGpus | ReacquireGpus,
        tell: Callable[[Event], None],
        tenants: ContainerSupervisor,
    ) -> None:
        """Carry an order out, and tell what came of it; what cannot come back is ended."""
        if isinstance(order, ReleaseGpus):
            tell(await self._parking.leave(order.key, order.devices))
            return
        try:
            async with asyncio.timeout(MOVE_S):
                tell(await self._parking.take(order.key, order.devices))
        except (StartError, OSError, TimeoutError) as error:
            words = error.detail if isinstance(error, StartError) else repr(error)
            await tenants.condemn(order.key, ExitCause.DEVICE_LOST, f"cards_not_back: {words}")
