"""Samples what the node offers and uses, beside the heartbeats, so that they never wait for it."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import structlog

from nodeagent import __version__
from nodeagent.card_ports import CardProcess, CardReading, CardReadings, GpuDriver, OwnerLookup
from nodeagent.core.state import Container, ContainerKey
from nodeagent.gpu.declared_load import DeclaredLoads
from nodeagent.gpu.health.evaluation import THRESHOLDS
from nodeagent.gpu.health.monitor import HealthMonitor, attribute_gpu_usage, is_system_process
from nodeagent.gpu.simulated_load import SimulatedLoad, derive_load
from nodeagent.host.inspections import InspectionRunner
from nodeagent.ports import (
    Clock,
    ContainerRuntime,
    ContainerUsage,
    GpuPresence,
    GpuUsage,
    Inspection,
    RuntimeUnavailableError,
)
from nodeagent.telemetry.reading import NodeReading
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFacts, NodeFault
from wire.samples import HostSample
from wire.words import GpuReleaseState

log = structlog.get_logger()

SAMPLE_S: Final = 2.0
USAGE_S: Final = 4.0
MIN_PAUSE_S: Final = 0.2
"""Between two samples, however many events a card has."""
FAULTS_MAX: Final = 32
CARDS_FAILED: Final = NodeFault(code="cards_unreadable", detail="see the log of the agent")


@dataclass(frozen=True, slots=True)
class StaticNodeFacts:
    """The part of the facts that does not change while the agent runs."""

    cpu_milli: int
    memory_mib: int
    address: str
    switch: str = ""
    """Network switch or rack, as its operator has configured it."""
    machine_id: str = ""
    """See `nodeagent.host.machine`."""


async def _measure_no_host() -> None:
    """Leave the host unmeasured."""


@dataclass(frozen=True, slots=True)
class SamplerChecks:
    """What is checked besides the cards' own readings."""

    owner_lookup: OwnerLookup | None = None
    """Finds the containers of processes on the cards; None: unknown, and no process is foreign."""
    health_monitor: HealthMonitor = field(default_factory=HealthMonitor)
    inspections: tuple[Inspection, ...] = ()
    save_forever: Callable[[], Coroutine[Any, Any, None]] | None = None
    """Writes the health state in the background."""
    measure_host: Callable[[], Awaitable[HostSample | None]] = _measure_no_host
    """Measures the whole host, but for its disk space, which an inspection finds."""
    declared_loads: DeclaredLoads = field(default_factory=lambda: DeclaredLoads(lambda _key: ""))
    """What containers declare of simulated cards."""


class NodeSampler:
    """Keeps the newest facts; reports when the health of a card or of the node has changed."""

    def __init__(
        self,
        offer: StaticNodeFacts,
        runtime: ContainerRuntime,
        driver: GpuDriver,
        clock: Clock,
        interval_s: float = SAMPLE_S,
        checks: SamplerChecks | None = None,
    ) -> None:
        self._offer = offer
        self._runtime = runtime
        self._driver = driver
        self._clock = clock
        self._interval_s = interval_s
        checks = checks or SamplerChecks()
        self._owner_lookup = checks.owner_lookup
        self._health_monitor = checks.health_monitor
        self._inspections = InspectionRunner(checks.inspections)
        self.save_forever = checks.save_forever
        self._measure_host = checks.measure_host
        self._declared_loads = checks.declared_loads
        self._cards = CardReadings()
        self._owners_by_pid: Mapping[int, ContainerKey] | None = None
        self._are_strays_taken = True
        self._containers: tuple[Container, ...] = ()
        self._accelerators: tuple[AcceleratorFacts, ...] = ()
        self._usage: Mapping[ContainerKey, ContainerUsage] = {}
        self._sampled_at = clock.now_ms()
        self._load = SimulatedLoad()
        self._read_lock = asyncio.Lock()

    def current_facts(self) -> NodeFacts:
        """Return the newest facts, without waiting."""
        found = self._inspections.latest
        versions = {"driver": self._cards.driver} if self._cards.driver else {}
        return NodeFacts(
            hostname=socket.gethostname()[:200],
            agent_version=__version__,
            runtime=self._runtime.name,
            isolated=self._runtime.is_isolated,
            cpu_milli=self._offer.cpu_milli,
            memory_mib=self._offer.memory_mib,
            address=self._offer.address,
            switch=self._offer.switch,
            accelerators=self._accelerators,
            faults=self._faults(),
            disk_mib=found.disk_mib,
            disk_free_mib=found.disk_free_mib,
            dataset_folders=found.dataset_folders,
            versions={**versions, **found.versions},
            machine_id=self._offer.machine_id,
            saves_images=self._runtime.makes_images,
            builds_images=self._runtime.makes_images,
        )

    def request_retests(self, retests: Mapping[str, int]) -> bool:
        """Reset the health of cards at the next reading; return whether one is due now."""
        return self._health_monitor.request_retests(retests)

    def find_reading(self, uuid: str) -> CardReading | None:
        """Return the last reading of a card."""
        return next((item for item in self._cards.cards if item.facts.uuid == uuid), None)

    def find_lost_cards(self) -> Mapping[str, str]:
        """Return the cards that are gone, each with its fault code."""
        return {
            item.uuid: item.fault
            for item in self._accelerators
            if item.health is AcceleratorHealth.GONE
        }

    async def run(
        self,
        containers: Callable[[], tuple[Container, ...]],
        on_change: Callable[[], None],
        on_reading: Callable[[NodeReading], None],
    ) -> None:
        """Sample repeatedly; `on_change` is called when health or faults have changed."""
        while True:
            await self._wait_for_next()
            before = self._health_signature()
            on_reading(await self.sample(containers()))
            if self._health_signature() != before:
                on_change()

    async def sample(self, containers: tuple[Container, ...]) -> NodeReading:
        """Read usage and cards once; what does not answer in time keeps its last value."""
        usage = await self._read_usage()
        now = self._clock.now_ms()
        elapsed_ms = max(1, now - self._sampled_at)
        declared = self._declared_loads.find(containers, self._clock.wall_ms())
        self._load = derive_load(containers, self._usage, usage, elapsed_ms, declared)
        self._usage, self._sampled_at = usage, now
        own_use, host, _ = await asyncio.gather(
            self.read_cards(containers), self._measure_host(), self._inspections.run_all()
        )
        return NodeReading(
            self._clock.wall_ms(),
            self._accelerators,
            containers,
            usage,
            own_use,
            self._with_disk_space(host),
        )

    async def read_cards(
        self, containers: tuple[Container, ...]
    ) -> Mapping[ContainerKey, GpuUsage]:
        """Read the cards and evaluate their health; return each container's measured GPU usage."""
        async with self._read_lock:
            self._containers = containers
            self._cards = await self._read_driver()
            cards = self._cards.cards
            owners = await self._find_owners(cards)
            self._accelerators = self._health_monitor.evaluate(
                cards, containers, owners, self._clock.now_ms()
            )
        self._owners_by_pid, self._are_strays_taken = owners, False
        measured = attribute_gpu_usage(cards, containers, owners or {})
        return {**measured, **self._load.of_simulated(cards, containers)}

    async def find_gpu_presence(
        self, key: ContainerKey, uuids: Collection[str]
    ) -> GpuPresence | None:
        """Read the cards, and return what a container has on these; None if that is unknown."""
        await self.read_cards(self._containers)
        cards = [item for item in self._cards.cards if item.facts.uuid in uuids]
        is_simulated = all(item.facts.simulated for item in cards)
        is_known = (
            all(item.processes is not None for item in cards) and self._owners_by_pid is not None
        )
        if len(cards) < len(uuids) or self._cards.faults or not (is_known or is_simulated):
            return None
        own = [item for card in cards for item in self._own_processes(key, card)]
        return GpuPresence(
            pids=frozenset(item.pid for item in own),
            is_simulated=is_simulated,
            is_memory_returned=is_simulated or all(map(_is_memory_returned, cards)),
            memory_mib=sum(item.memory_mib or 0 for item in own),
        )

    async def find_occupied(self, uuids: Collection[str]) -> frozenset[str]:
        """Read the cards, and return which of these hold processes or unreleased memory."""
        await self.read_cards(self._containers)
        return frozenset(
            item.facts.uuid
            for item in self._cards.cards
            if item.facts.uuid in uuids and not item.facts.simulated and _is_occupied(item)
        )

    def take_stray_pids(self) -> frozenset[int]:
        """Return processes of containers that have released their GPUs; once per reading.

        The caller kills them by number, and a moment later a number may belong to another process.
        """
        if self._are_strays_taken:
            return frozenset()
        self._are_strays_taken = True
        away = [item.key for item in self._containers if item.gpu_state is GpuReleaseState.AWAY]
        cards = self._cards.cards
        return frozenset(
            item.pid for key in away for card in cards for item in self._own_processes(key, card)
        )

    def _with_disk_space(self, host: HostSample | None) -> HostSample | None:
        found = self._inspections.latest
        if host is None or found.disk_mib is None or found.disk_free_mib is None:
            return host
        used_mib = max(0, found.disk_mib - found.disk_free_mib)
        return host.model_copy(update={"disk_used_mib": used_mib, "disk_mib": found.disk_mib})

    def _own_processes(self, key: ContainerKey, card: CardReading) -> Iterator[CardProcess]:
        owners = self._owners_by_pid or {}
        return (item for item in card.processes or () if owners.get(item.pid) == key)

    async def _read_driver(self) -> CardReadings:
        """Return the driver's readings; an unexpected failure of a driver affects nothing else."""
        try:
            return await self._driver.read(self._load.busy_pct, self._load.used_mib)
        except Exception:  # the boundary to the libraries of every vendor
            log.exception("cards.failed")
            return replace(self._cards, faults=(CARDS_FAILED,))

    async def _wait_for_next(self) -> None:
        """Wait for the next sample, or for an event of a card; at least a moment."""
        await asyncio.sleep(MIN_PAUSE_S)
        try:
            async with asyncio.timeout(self._interval_s - MIN_PAUSE_S):
                await self._driver.wait_for_event()
        except TimeoutError:
            return

    async def _read_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        try:
            async with asyncio.timeout(USAGE_S):
                return await self._runtime.measure_usage()
        except (RuntimeUnavailableError, TimeoutError) as error:
            log.info("usage.unknown", error=str(error))
            return self._usage

    async def _find_owners(
        self, cards: tuple[CardReading, ...]
    ) -> Mapping[int, ContainerKey] | None:
        """Return the container of each process on the cards; None while that is unknown."""
        pids = frozenset(item.pid for card in cards for item in card.processes or ())
        if self._owner_lookup is None:
            return None
        try:
            async with asyncio.timeout(USAGE_S):
                return await self._owner_lookup.find_owners(pids)
        except (RuntimeUnavailableError, TimeoutError) as error:
            log.info("owners.unknown", error=str(error))
            return None

    def _faults(self) -> tuple[NodeFault, ...]:
        """Return all faults, each code once: the first source that names it counts."""
        found = (
            *self._cards.faults,
            *self._health_monitor.report_faults(),
            *self._inspections.latest.faults,
        )
        by_code = {fault.code: fault for fault in reversed(found)}
        return tuple(by_code.values())[:FAULTS_MAX]

    def _health_signature(self) -> tuple[object, ...]:
        """Return what is worth a heartbeat at once when it changes."""
        health = {item.uuid: (item.health, item.fault) for item in self._accelerators}
        return health, frozenset(fault.code for fault in self._faults())


def _is_occupied(card: CardReading) -> bool:
    """Return whether anything but a system service is on a card."""
    processes = [item for item in card.processes or () if not is_system_process(item.pid)]
    return bool(processes) or not _is_memory_returned(card)


def _is_memory_returned(card: CardReading) -> bool:
    """Return whether a card holds no more memory than an idle one, or others are on it."""
    if card.processes or card.facts.memory_used_mib is None:
        return True
    limit_mib = max(THRESHOLDS.idle_mib, card.facts.memory_mib * THRESHOLDS.idle_pct // 100)
    return card.facts.memory_used_mib <= limit_mib
