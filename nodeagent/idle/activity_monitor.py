"""Looks at every notebook now and then, and says when it was last in use.

A notebook that does not answer is not called idle: nothing is said of it until it does.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.events import ActivitySeen, Event
from nodeagent.core.state import Container, ContainerKey
from nodeagent.disk.container_dir import ContainerDir, Endpoint
from nodeagent.idle import jupyter_client
from nodeagent.idle.activity import ActivitySample, LastActivity, evaluate_activity
from nodeagent.ports import Clock, ContainerUsage, GpuUsage
from nodeagent.telemetry.reading import NodeReading
from nodeagent.telemetry.samples import estimate_gpu_usage
from wire.words import Phase

log = structlog.get_logger()

LOOK_S: Final = 10.0
AT_ONCE: Final = 8
"""Notebooks that are asked at the same time."""


class ActivityMonitor:
    """Hears every reading of the sampler, and asks the notebooks themselves."""

    def __init__(self, containers: Path, clock: Clock, every_s: float = LOOK_S) -> None:
        self._root = containers
        self._clock = clock
        self._every_s = every_s
        self._newest: NodeReading | None = None
        self._known: Mapping[ContainerKey, LastActivity] = {}
        self._slots = asyncio.Semaphore(AT_ONCE)

    def add_reading(self, reading: NodeReading) -> None:
        """Keep a reading for the next look."""
        self._newest = reading

    async def run(self, send_event: Callable[[Event], None]) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(self._every_s)
            await self.check(send_event)

    async def check(self, send_event: Callable[[Event], None]) -> None:
        """Look once at every notebook that runs."""
        reading, self._newest = self._newest, None
        if reading is None:
            return
        asked = [item for item in reading.containers if item.phase is Phase.RUNNING]
        found = await asyncio.gather(*(self._evaluate(item, reading) for item in asked))
        self._known = {
            item.key: known for item, known in zip(asked, found, strict=True) if known is not None
        }
        for key, known in self._known.items():
            idle_ms = max(0, known.sample.at - known.used_at)
            send_event(ActivitySeen(key, idle_ms, known.used_at, known.source))

    async def _evaluate(self, container: Container, reading: NodeReading) -> LastActivity | None:
        """Return what is known of one; a notebook that is silent counts as it did before."""
        endpoint = ContainerDir(self._root, container.key).read_endpoint()
        used = reading.usage.get(container.key)
        if endpoint is None or used is None:
            return None
        before = self._known.get(container.key)
        try:
            sight = await self._take_sample(endpoint, used, _card_use(container, reading))
        except jupyter_client.JupyterUnavailableError as error:
            log.info("notebook.silent", allocation=container.key.allocation, error=str(error))
            return before
        return evaluate_activity(before, sight)

    async def _take_sample(
        self, endpoint: Endpoint, used: ContainerUsage, cards: GpuUsage
    ) -> ActivitySample:
        async with self._slots:
            seen = await jupyter_client.read_activity(endpoint)
        return ActivitySample(self._clock.now_ms(), used.cpu_ms, seen, cards.utilisation_pct)


def _card_use(container: Container, reading: NodeReading) -> GpuUsage:
    cards = {card.uuid: card for card in reading.accelerators}
    return estimate_gpu_usage(container, reading.card_use, cards)
