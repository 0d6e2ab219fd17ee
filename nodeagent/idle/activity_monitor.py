"""Checks all notebooks periodically and reports when each was last used.

A notebook that does not answer is not called idle: nothing is reported about it until it answers.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.events import ActivitySeen, Event
from nodeagent.core.state import Container, ContainerKey
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.idle import jupyter_client
from nodeagent.idle.activity import ActivitySample, LastActivity, evaluate_activity
from nodeagent.ports import Clock, ContainerUsage, GpuUsage
from nodeagent.telemetry.reading import NodeReading
from nodeagent.telemetry.samples import estimate_gpu_usage

log = structlog.get_logger()

CHECK_INTERVAL_S: Final = 10.0
CONCURRENT_MAX: Final = 8
"""Number of notebooks that are queried at the same time."""


class ActivityMonitor:
    """Receives every reading of the node sampler, and queries the notebooks."""

    def __init__(
        self, containers: Path, clock: Clock, interval_s: float = CHECK_INTERVAL_S
    ) -> None:
        self._root = containers
        self._clock = clock
        self._interval_s = interval_s
        self._newest: NodeReading | None = None
        self._last: Mapping[ContainerKey, LastActivity] = {}
        self._slots = asyncio.Semaphore(CONCURRENT_MAX)

    def add_reading(self, reading: NodeReading) -> None:
        """Keep a reading for the next check."""
        self._newest = reading

    async def run(self, send_event: Callable[[Event], None]) -> None:
        """Check the notebooks periodically until cancelled."""
        while True:
            await asyncio.sleep(self._interval_s)
            await self.check(send_event)

    async def check(self, send_event: Callable[[Event], None]) -> None:
        """Check every notebook that runs and is ready once."""
        reading, self._newest = self._newest, None
        if reading is None:
            return
        running = [item for item in reading.containers if item.is_in_service]
        found = await asyncio.gather(*(self._evaluate(item, reading) for item in running))
        self._last = {
            item.key: last for item, last in zip(running, found, strict=True) if last is not None
        }
        for key, last in self._last.items():
            idle_ms = max(0, last.sample.at - last.used_at)
            send_event(ActivitySeen(key, idle_ms, last.used_at, last.source))

    async def _evaluate(self, container: Container, reading: NodeReading) -> LastActivity | None:
        """Return the last activity of a notebook; if it does not answer, the previous one."""
        endpoint = ContainerDir(self._root, container.key).read_endpoint()
        used = reading.usage.get(container.key)
        if endpoint is None or used is None:
            return None
        before = self._last.get(container.key)
        try:
            sample = await self._take_sample(endpoint, used, _card_use(container, reading))
        except jupyter_client.JupyterUnavailableError as error:
            log.info("notebook.silent", allocation=container.key.allocation, error=str(error))
            return before
        return evaluate_activity(before, sample)

    async def _take_sample(
        self, endpoint: AppEndpoint, used: ContainerUsage, cards: GpuUsage
    ) -> ActivitySample:
        async with self._slots:
            activity = await jupyter_client.read_activity(endpoint)
        return ActivitySample(self._clock.now_ms(), used.cpu_ms, activity, cards.utilisation_pct)


def _card_use(container: Container, reading: NodeReading) -> GpuUsage:
    cards = {card.uuid: card for card in reading.accelerators}
    return estimate_gpu_usage(container, reading.card_use, cards)
