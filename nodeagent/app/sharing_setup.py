"""Builds what enforces shares of cards, from the agent's configuration."""

from dataclasses import dataclass

import pynvml

from nodeagent.app.node_sampler import NodeSampler
from nodeagent.card_ports import GpuDriver
from nodeagent.config import AgentConfig
from nodeagent.disk.layout import StateLayout
from nodeagent.docker.start.barrier_program import barrier_program
from nodeagent.gpu.card_access import CardAccess
from nodeagent.host.clock import SystemClock
from nodeagent.host.commands import HostCommandRunner
from nodeagent.sharing.controller import SharingController, SharingMode
from nodeagent.sharing.exec_probe import ExecProbe, NoExecProbe
from nodeagent.sharing.modes.cdi import CdiFile
from nodeagent.sharing.modes.cgroup import CgroupMode
from nodeagent.sharing.modes.hami import HamiMode
from nodeagent.sharing.modes.memory_limits import HostMemoryLimiter
from nodeagent.sharing.modes.mig import MigMode, MigPartitioner
from nodeagent.sharing.modes.mps import MpsMode
from nodeagent.sharing.modes.mps_namespaces import MpsNamespaces
from nodeagent.sharing.modes.timeslice import TimesliceMode
from nodeagent.sharing.monitor import NodeShareMonitor
from nodeagent.sharing.nvml_client import NvmlClient
from nodeagent.sharing.probe import HostCapabilities, ProbedDriver, probe_host
from nodeagent.sharing.records import ShareRecords
from nodeagent.sharing.residual_memory import ResidualMemoryCheck
from wire.facts import AcceleratorFacts


@dataclass(frozen=True, slots=True)
class SharingParts:
    """The port that containers are started with, and the monitor beside it."""

    sharing: SharingController
    monitor: NodeShareMonitor


def build_probed_driver(
    config: AgentConfig, driver: GpuDriver, exec_probe: ExecProbe
) -> ProbedDriver:
    """Return the driver, extended by what each card can enforce on this host."""
    has_containers = not isinstance(exec_probe, NoExecProbe)

    def probe() -> HostCapabilities:
        return probe_host(
            pynvml,
            has_containers=has_containers,
            has_barrier=barrier_program() is not None,
            hami=config.sharing.hami_library,
            wants_compute=config.sharing.compute_shares,
            may_timeslice=config.sharing.allow_timeslice,
        )

    return ProbedDriver(driver, probe)


def build_sharing(
    config: AgentConfig,
    layout: StateLayout,
    exec_probe: ExecProbe,
    samples: NodeSampler,
) -> SharingParts:
    """Return the parts of one node; `samples` has its cards as they are now."""
    records, commands, cards = ShareRecords(layout.shares), HostCommandRunner(), NvmlClient(pynvml)

    def facts() -> tuple[AcceleratorFacts, ...]:
        return samples.current_facts().accelerators

    access = CardAccess(
        samples.find_reading, has_containers=not isinstance(exec_probe, NoExecProbe)
    )
    compute = MpsNamespaces(layout.compute, records, commands)
    modes: list[SharingMode] = [
        MigMode(facts, MigPartitioner(cards), records, CdiFile(commands)),
        CgroupMode(
            HostMemoryLimiter(pynvml, cards, commands),
            compute if config.sharing.compute_shares else None,
        ),
        MpsMode(layout.mps, records, commands),
        TimesliceMode(),
    ]
    if config.sharing.hami_library is not None:
        modes.append(HamiMode(config.sharing.hami_library, records, exec_probe))
    residual_memory = ResidualMemoryCheck(samples.find_occupied, records)
    sharing = SharingController(facts, records, modes, residual_memory, access.describe)
    return SharingParts(
        sharing, NodeShareMonitor(records, sharing, cards, exec_probe, SystemClock())
    )
