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
        self,
        watch: ActivityMonitor,
        releaser: GpuReleaser,
        take_stray_pids: Callable[[], frozenset[int]],
    ) -> None:
        self._watch = watch
        self._releaser = releaser
        self._take_stray_pids = take_stray_pids

    def add_reading(self, reading: NodeReading) -> None:
        """Hear what was seen of the node."""
        self._watch.add_reading(reading)

    async def watch_activity(self, send_event: Callable[[Event], None]) -> None:
        """Tell for ever when each of them was last in use."""
        await self._watch.run(send_event)

    async def kill_strays(self) -> None:
        """End for ever what is on cards that its notebook has given up.

        An engine cannot take a device from a living container: this keeps the cards of others
        free of it, a second after it was seen.
        """
        while True:
            await asyncio.sleep(STRAYS_S)
            for pid in self._take_stray_pids():
                log.warning("cards.stray", pid=pid)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    async def carry_out(
        self,
        order: ReleaseGpus | ReacquireGpus,
        send_event: Callable[[Event], None],
        supervisor: ContainerSupervisor,
    ) -> None:
        """Carry an order out, and tell what came of it; what cannot come back is ended."""
        if isinstance(order, ReleaseGpus):
            send_event(await self._releaser.release(order.key, order.devices))
            return
        try:
            async with asyncio.timeout(MOVE_S):
                send_event(await self._releaser.reacquire(order.key, order.devices))
        except (StartError, OSError, TimeoutError) as error:
            detail = error.detail if isinstance(error, StartError) else repr(error)
            await supervisor.stop_for(order.key, ExitCause.DEVICE_LOST, f"cards_not_back: {detail}")
