"""Determines which isolation modes a host and each of its cards can enforce."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from nodeagent.card_ports import CardReadings, GpuDriver
from nodeagent.host.cgroups import V2_CONTROLLERS
from nodeagent.sharing.modes.mps_daemon import CONTROL
from nodeagent.sharing.nvml_client import supports_memory_limits
from wire.facts import AcceleratorFacts
from wire.words import Isolation

LIMITS_SINCE: Final = 615
"""First driver version with memory limits for cgroups."""


@dataclass(frozen=True, slots=True)
class HostCapabilities:
    """What the host provides, independent of its cards."""

    has_containers: bool
    """Work runs in containers, with files of their own and cgroups of their own."""
    is_root: bool = False
    has_barrier: bool = False
    """The start of the work can be delayed until its limits are set."""
    has_cgroup_v2: bool = False
    has_limits: bool = False
    """NVML or `nvidia-smi` can set memory limits."""
    has_library: bool = False
    """The intercepting library is installed."""
    has_mps: bool = False
    wants_compute: bool = False
    """Compute shares are configured in addition to memory limits, which requires MPS."""
    may_timeslice: bool = False
    """Configured: monitoring the memory is acceptable instead of a limit."""


def enforceable_modes(host: HostCapabilities, card: AcceleratorFacts) -> tuple[Isolation, ...]:
    """Return the modes of one card, strongest first; pure.

    A card that is divided by MIG has no other mode, and is not available as a whole.
    """
    if card.simulated:
        return tuple(Isolation)
    if card.mig or card.profiles:
        return (Isolation.MIG,)
    supported = {
        Isolation.EXCLUSIVE: True,
        Isolation.CGROUP: _supports_cgroup(host, card),
        Isolation.HAMI: _is_nvidia(card)
        and host.has_containers
        and host.has_barrier
        and host.has_library,
        Isolation.MPS: _is_nvidia(card) and host.has_containers and host.is_root and host.has_mps,
        Isolation.TIMESLICE: _is_nvidia(card) and host.may_timeslice,
    }
    return tuple(mode for mode in Isolation if supported.get(mode))


def probe_host(
    library: Any,
    *,
    has_containers: bool,
    has_barrier: bool,
    hami: Path | None,
    wants_compute: bool,
    may_timeslice: bool,
) -> HostCapabilities:
    """Probe this host. `library` is the NVML binding, initialised if a driver is there."""
    return HostCapabilities(
        has_containers=has_containers,
        is_root=os.geteuid() == 0,
        has_barrier=has_barrier,
        has_cgroup_v2=V2_CONTROLLERS.exists(),
        has_limits=supports_memory_limits(library) or shutil.which("nvidia-smi") is not None,
        has_library=hami is not None and hami.is_file(),
        has_mps=shutil.which(CONTROL) is not None,
        wants_compute=wants_compute,
        may_timeslice=may_timeslice,
    )


def _supports_cgroup(host: HostCapabilities, card: AcceleratorFacts) -> bool:
    major = card.driver.split(".", 1)[0]
    is_new = major.isdecimal() and int(major) >= LIMITS_SINCE
    has_own_cgroup = host.has_containers and host.has_cgroup_v2 and host.has_barrier
    has_compute = host.has_mps or not host.wants_compute
    supported = host.is_root and host.has_limits and has_compute
    return _is_nvidia(card) and is_new and has_own_cgroup and supported


def _is_nvidia(card: AcceleratorFacts) -> bool:
    return card.vendor == "nvidia"


class ProbedDriver:
    """The `GpuDriver` port; adds `isolation` to the facts of each card."""

    def __init__(self, driver: GpuDriver, probe: Callable[[], HostCapabilities]) -> None:
        """`probe`: a cheap probe of the host, called with every reading."""
        self._driver = driver
        self._probe = probe

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Read the cards, and add the modes that each can enforce as it is divided now."""
        readings = await self._driver.read(busy_pct, used_mib)
        host = self._probe()
        cards = [
            replace(
                reading,
                facts=reading.facts.model_copy(
                    update={"isolation": enforceable_modes(host, reading.facts)}
                ),
            )
            for reading in readings.cards
        ]
        return replace(readings, cards=tuple(cards))

    async def wait_for_event(self) -> None:
        """Wait for an event of the driver."""
        await self._driver.wait_for_event()
