"""Builds what makes shares of cards hold, from the agent's configuration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pynvml

from nodeagent.config import AgentConfig
from nodeagent.disk.layout import StateLayout
from nodeagent.docker.start.barrier_program import gate_program
from nodeagent.host.clock import SystemClock
from nodeagent.host.commands import HostCommands
from nodeagent.ports import GpuDriver
from nodeagent.sharing.controller import CardSharing, Mode
from nodeagent.sharing.exec_probe import Inside, Nowhere
from nodeagent.sharing.modes.cdi import CdiFile
from nodeagent.sharing.modes.cgroup import CgroupMode
from nodeagent.sharing.modes.hami import HamiMode
from nodeagent.sharing.modes.memory_limits import HostLimits
from nodeagent.sharing.modes.mig import MigCutter, MigMode
from nodeagent.sharing.modes.mps import MpsMode
from nodeagent.sharing.modes.mps_namespaces import ComputeShares
from nodeagent.sharing.modes.timeslice import PlainMode
from nodeagent.sharing.monitor import SharingWatch
from nodeagent.sharing.nvml_client import Cards
from nodeagent.sharing.probe import HostAbilities, ProbedDriver, host_abilities
from nodeagent.sharing.records import Records
from nodeagent.sharing.residual_memory import Handover, Occupied
from wire.facts import AcceleratorFacts


@dataclass(frozen=True, slots=True)
class ShareParts:
    """The port that containers are started with, and the watch beside them."""

    sharing: CardSharing
    watch: SharingWatch


def probed(config: AgentConfig, driver: GpuDriver, inside: Inside) -> ProbedDriver:
    """Return the driver with what each card can enforce on this host."""
    has_containers = not isinstance(inside, Nowhere)

    def look() -> HostAbilities:
        return host_abilities(
            pynvml,
            has_containers=has_containers,
            has_gate=gate_program() is not None,
            hami=config.sharing.hami_library,
            wants_compute=config.sharing.compute_shares,
            may_timeslice=config.sharing.allow_timeslice,
        )

    return ProbedDriver(driver, look)


def share_parts(
    config: AgentConfig,
    layout: StateLayout,
    inside: Inside,
    facts: Callable[[], Sequence[AcceleratorFacts]],
    occupied: Occupied,
) -> ShareParts:
    """Return the parts of one node; `facts` are its cards as they are now."""
    records, commands, cards = Records(layout.shares), HostCommands(), Cards(pynvml)
    compute = ComputeShares(layout.compute, records, commands)
    modes: list[Mode] = [
        MigMode(facts, MigCutter(cards), records, CdiFile(commands)),
        CgroupMode(
            HostLimits(pynvml, cards, commands),
            compute if config.sharing.compute_shares else None,
        ),
        MpsMode(layout.mps, records, commands),
        PlainMode(),
    ]
    if config.sharing.hami_library is not None:
        modes.append(HamiMode(config.sharing.hami_library, records, inside))
    sharing = CardSharing(facts, records, modes, Handover(occupied, records))
    return ShareParts(sharing, SharingWatch(records, sharing, cards, inside, SystemClock()))
