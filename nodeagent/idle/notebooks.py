"""Idle detection and GPU release of notebooks, as the agent runner uses them."""

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
"""Time for a whole move: gigabytes are copied. Every step has its own deadline as well."""


class IdleNotebooks:
    """The operations on idle notebooks for the agent runner."""

    def __init__(
        self,
        activity_monitor: ActivityMonitor,
        releaser: GpuReleaser,
        take_stray_pids: Callable[[], frozenset[int]],
    ) -> None:
        self._activity_monitor = activity_monitor
        self._releaser = releaser
        self._take_stray_pids = take_stray_pids

    def add_reading(self, reading: NodeReading) -> None:
        """Receive a reading of the node."""
        self._activity_monitor.add_reading(reading)

    async def watch_activity(self, send_event: Callable[[Event], None]) -> None:
        """Report when each notebook was last used, until cancelled."""
        await self._activity_monitor.run(send_event)

    async def kill_strays(self) -> None:
        """Kill processes on GPUs that their notebook has released, until cancelled.

        An engine cannot take a device from a running container, so this keeps the GPUs free for
        their new holders; a process is killed within a second of its discovery.
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
        """Carry an order out and report the result; stop a container that cannot get its GPUs."""
        if isinstance(order, ReleaseGpus):
            send_event(await self._releaser.release(order.key, order.devices))
            return
        try:
            async with asyncio.timeout(MOVE_S):
                send_event(await self._releaser.reacquire(order.key, order.devices))
        except (StartError, OSError, TimeoutError) as error:
            detail = error.detail if isinstance(error, StartError) else repr(error)
            await supervisor.stop_for(order.key, ExitCause.DEVICE_LOST, f"cards_not_back: {detail}")
