"""A whole node in memory around the real agent runner: runtime, portal, clock and disk are fakes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nodeagent.app.node_sampler import NodeSampler, StaticNodeFacts
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.app.runner import AgentPorts, AgentRunner
from nodeagent.core.timing import Timing
from nodeagent.disk.layout import StateLayout
from nodeagent.gpu.drivers.simulated import CardDescription, SimulatedDriver
from nodeagent.ports import ShareMonitor
from nodeagent.telemetry.event_metrics import EventMetrics
from nodeagent.watchdog import WatchdogGuard
from tests.fakes.exec_adapter import FakeExecAdapter
from tests.fakes.node_ports import FakeClock, MemoryLease, MemoryLink, MemoryStates, NoStreams
from tests.fakes.portal import FakePortal
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from tests.fakes.sharing import FakeSharing
from tests.waiting import wait_until_async


@dataclass
class FakeNode:
    """Everything around one agent; survives it."""

    root: Path
    clock: FakeClock = field(default_factory=FakeClock)
    machine: FakeContainerHost = field(default_factory=FakeContainerHost)
    states: MemoryStates = field(default_factory=MemoryStates)
    lease: MemoryLease = field(default_factory=MemoryLease)
    portal: FakePortal = field(default_factory=FakePortal)
    sharing: FakeSharing = field(default_factory=FakeSharing)
    shares: ShareMonitor | None = None
    storage_words: str = ""

    def __post_init__(self) -> None:
        self.link = MemoryLink(self.portal)

    @asynccontextmanager
    async def agent(self) -> AsyncIterator[AgentRunner]:
        runtime = FakeRuntime(self.machine)
        driver = SimulatedDriver("n", [CardDescription("Simulated", 1024)] * 2)
        offer = StaticNodeFacts(1000, 1024, "127.0.0.1")
        ports = AgentPorts(
            runtime=runtime,
            link=self.link,
            states=self.states,
            leases=self.lease,
            sampler=NodeSampler(offer, runtime, driver, self.clock),
            watchdog_guard=WatchdogGuard(StateLayout(self.root), ("/bin/true",)),
            clock=self.clock,
            boot_id="boot",
            event_metrics=EventMetrics(self.root),
            streams=NoStreams(),
            sharing=self.sharing,
            readiness=ReadinessCheck(FakeExecAdapter(self.machine)),
            share_monitor=self.shares,
            describe_missing_storage=lambda: self.storage_words,
        )
        runner = AgentRunner(ports, Timing())
        task = asyncio.create_task(runner.run())
        try:
            yield runner
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def beats(self, count: int = 1) -> None:
        """Let time pass until so many more heartbeats have arrived."""
        wanted = len(self.portal.heartbeats) + count

        def is_enough() -> bool:
            self.clock.now += 100
            return len(self.portal.heartbeats) >= wanted

        await wait_until_async(is_enough, within_s=60)

    async def until_reported(self, allocation: str, phase: str) -> None:
        def is_reported() -> bool:
            self.clock.now += 60
            report = self.portal.report(allocation)
            return report is not None and report.phase == phase

        await wait_until_async(is_reported)
