"""What the node offers now, sampled beside the heartbeats so that they never wait for it."""

import asyncio
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from nodeagent import __version__
from nodeagent.core.state import Container, Key
from nodeagent.ports import (
    CardUse,
    Clock,
    ContainerRuntime,
    GpuDriver,
    RuntimeUnavailableError,
    Usage,
)
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFacts

log = structlog.get_logger()

SAMPLE_S: Final = 5.0
USAGE_S: Final = 4.0


@dataclass(frozen=True, slots=True)
class NodeOffer:
    """The part of the facts that does not change while the agent runs."""

    cpu_milli: int
    memory_mib: int
    address: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at the cards and the containers; for telemetry."""

    at: int
    """UTC, milliseconds."""
    accelerators: tuple[AcceleratorFacts, ...]
    containers: tuple[Container, ...]
    usage: Mapping[Key, Usage]
    card_use: Mapping[Key, CardUse]
    """By container; one that is missing was not measured."""


class FactSampler:
    """Keeps the newest facts; tells when the health of a card has changed."""

    def __init__(
        self,
        offer: NodeOffer,
        runtime: ContainerRuntime,
        driver: GpuDriver,
        clock: Clock,
        every_s: float = SAMPLE_S,
    ) -> None:
        self._offer = offer
        self._runtime = runtime
        self._driver = driver
        self._clock = clock
        self._every_s = every_s
        self._accelerators: tuple[AcceleratorFacts, ...] = ()
        self._usage: Mapping[Key, Usage] = {}
        self._sampled_at = clock.now_ms()

    def facts(self) -> NodeFacts:
        """Return the newest facts at once."""
        return NodeFacts(
            hostname=socket.gethostname()[:200],
            agent_version=__version__,
            runtime=self._runtime.name,
            isolated=self._runtime.is_isolated,
            cpu_milli=self._offer.cpu_milli,
            memory_mib=self._offer.memory_mib,
            address=self._offer.address,
            accelerators=self._accelerators,
        )

    async def run(
        self,
        containers: Callable[[], tuple[Container, ...]],
        changed: Callable[[], None],
        observed: Callable[[Reading], None],
    ) -> None:
        """Sample for ever; `changed` is called when a card's health is another than before."""
        while True:
            await asyncio.sleep(self._every_s)
            before = self._health()
            observed(await self.sample(containers()))
            if self._health() != before:
                changed()

    async def sample(self, containers: tuple[Container, ...]) -> Reading:
        """Read usage and cards once; what does not answer in time keeps its last value."""
        usage = await self._read_usage()
        now = self._clock.now_ms()
        busy, used = _load(containers, self._usage, usage, max(1, now - self._sampled_at))
        self._usage, self._sampled_at = usage, now
        self._accelerators = await self._driver.read(busy, used)
        return Reading(self._clock.wall_ms(), self._accelerators, containers, usage, {})

    async def _read_usage(self) -> Mapping[Key, Usage]:
        try:
            async with asyncio.timeout(USAGE_S):
                return await self._runtime.usage()
        except (RuntimeUnavailableError, TimeoutError) as error:
            log.info("usage.unknown", error=str(error))
            return self._usage

    def _health(self) -> dict[str, AcceleratorHealth]:
        return {item.uuid: item.health for item in self._accelerators}


def _load(
    containers: tuple[Container, ...],
    before: Mapping[Key, Usage],
    after: Mapping[Key, Usage],
    elapsed_ms: int,
) -> tuple[dict[str, int], dict[str, int]]:
    """Return per card how busy its holders kept one processor, in percent, and their MiB.

    The holder of a slice can fill only its part of the card.
    """
    busy: dict[str, int] = {}
    used: dict[str, int] = {}
    for item in containers:
        now = after.get(item.key)
        if now is None:
            continue
        cpu_ms = max(0, now.cpu_ms - before.get(item.key, now).cpu_ms)
        for device in item.devices:
            part_pct = min(100, 100 * cpu_ms // elapsed_ms) // device.slices
            busy[device.uuid] = min(100, busy.get(device.uuid, 0) + part_pct)
            share_mib = min(device.memory_mib, now.memory_mib // len(item.devices))
            used[device.uuid] = used.get(device.uuid, 0) + share_mib
    return busy, used
