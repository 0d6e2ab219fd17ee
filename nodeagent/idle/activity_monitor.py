"""Looks at every notebook now and then, and says when it was last in use.

A notebook that does not answer is not called idle: nothing is said of it until it does.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.events import Event, UseSeen
from nodeagent.core.state import Container, Key, Phase
from nodeagent.disk.container_dir import ContainerDir, Endpoint
from nodeagent.idle import jupyter_client
from nodeagent.idle.activity import Known, Sight, judged
from nodeagent.ports import CardUse, Clock, Usage
from nodeagent.telemetry.reading import Reading
from nodeagent.telemetry.samples import own_use

log = structlog.get_logger()

LOOK_S: Final = 10.0
AT_ONCE: Final = 8
"""Notebooks that are asked at the same time."""


class IdleWatch:
    """Hears every reading of the sampler, and asks the notebooks themselves."""

    def __init__(self, containers: Path, clock: Clock, every_s: float = LOOK_S) -> None:
        self._root = containers
        self._clock = clock
        self._every_s = every_s
        self._newest: Reading | None = None
        self._known: Mapping[Key, Known] = {}
        self._seats = asyncio.Semaphore(AT_ONCE)

    def take(self, reading: Reading) -> None:
        """Keep a reading for the next look."""
        self._newest = reading

    async def run(self, tell: Callable[[Event], None]) -> None:
        """Look for ever."""
        while True:
            await asyncio.sleep(self._every_s)
            await self.look(tell)

    async def look(self, tell: Callable[[Event], None]) -> None:
        """Look once at every notebook that runs."""
        reading, self._newest = self._newest, None
        if reading is None:
            return
        asked = [item for item in reading.containers if item.phase is Phase.RUNNING]
        found = await asyncio.gather(*(self._judge(item, reading) for item in asked))
        self._known = {
            item.key: known for item, known in zip(asked, found, strict=True) if known is not None
        }
        for key, known in self._known.items():
            idle_ms = max(0, known.sight.at - known.used_at)
            tell(UseSeen(key, idle_ms, known.used_at, known.by))

    async def _judge(self, container: Container, reading: Reading) -> Known | None:
        """Return what is known of one; a notebook that is silent counts as it did before."""
        endpoint = ContainerDir(self._root, container.key).endpoint()
        used = reading.usage.get(container.key)
        if endpoint is None or used is None:
            return None
        before = self._known.get(container.key)
        try:
            sight = await self._sight(endpoint, used, _card_use(container, reading))
        except jupyter_client.LabSilentError as error:
            log.info("notebook.silent", allocation=container.key.allocation, error=str(error))
            return before
        return judged(before, sight)

    async def _sight(self, endpoint: Endpoint, used: Usage, cards: CardUse) -> Sight:
        async with self._seats:
            seen = await jupyter_client.look(endpoint)
        return Sight(self._clock.now_ms(), used.cpu_ms, seen, cards.utilisation_pct)


def _card_use(container: Container, reading: Reading) -> CardUse:
    cards = {card.uuid: card for card in reading.accelerators}
    return own_use(container, reading.card_use, cards)
