"""What a host and each of its cards can really enforce between tenants."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from nodeagent.host.cgroups import V2_CONTROLLERS
from nodeagent.ports import CardReadings, GpuDriver
from nodeagent.sharing.modes.mps_daemon import CONTROL
from nodeagent.sharing.nvml_client import supports_memory_limits
from wire.facts import AcceleratorFacts
from wire.words import Isolation

LIMITS_SINCE: Final = 615
"""First driver that limits memory by cgroup."""


@dataclass(frozen=True, slots=True)
class HostCapabilities:
    """What the host has, whatever its cards are."""

    has_containers: bool
    """Work runs in containers, so that files can be put into them and cgroups are their own."""
    is_root: bool = False
    has_barrier: bool = False
    """Work can be held back until its limits are set."""
    has_cgroup_v2: bool = False
    has_limits: bool = False
    """NVML or `nvidia-smi` can set memory limits."""
    has_library: bool = False
    """An administrator has installed the intercepting library."""
    has_mps: bool = False
    wants_compute: bool = False
    """An administrator wants shares of the processors beside memory limits, which needs MPS."""
    may_timeslice: bool = False
    """An administrator has said that a watchdog will do."""


def enforceable_modes(host: HostCapabilities, card: AcceleratorFacts) -> tuple[Isolation, ...]:
    """Return the modes of one card, strongest first; pure.

    A card that is cut in hardware takes no other mode, nor can it be had as a whole.
    """
    if card.simulated:
        return tuple(Isolation)
    if card.mig or card.profiles:
        return (Isolation.MIG,)
    able = {
        Isolation.EXCLUSIVE: True,
        Isolation.CGROUP: _by_cgroup(host, card),
        Isolation.HAMI: _is_nvidia(card)
        and host.has_containers
        and host.has_barrier
        and host.has_library,
        Isolation.MPS: _is_nvidia(card) and host.has_containers and host.is_root and host.has_mps,
        Isolation.TIMESLICE: _is_nvidia(card) and host.may_timeslice,
    }
    return tuple(mode for mode in Isolation if able.get(mode))


def probe_host(
    library: Any,
    *,
    has_containers: bool,
    has_barrier: bool,
    hami: Path | None,
    wants_compute: bool,
    may_timeslice: bool,
) -> HostCapabilities:
    """Look at this host. `library` is the NVML binding, already initialised where that works."""
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


def _by_cgroup(host: HostCapabilities, card: AcceleratorFacts) -> bool:
    major = card.driver.split(".", 1)[0]
    is_new = major.isdecimal() and int(major) >= LIMITS_SINCE
    has_place = host.has_containers and host.has_cgroup_v2 and host.has_barrier
    has_compute = host.has_mps or not host.wants_compute
    able = host.is_root and host.has_limits and has_compute
    return _is_nvidia(card) and is_new and has_place and able


def _is_nvidia(card: AcceleratorFacts) -> bool:
    return card.vendor == "nvidia"


class ProbedDriver:
    """The `GpuDriver` port; adds `isolation` to the facts of each card."""

    def __init__(self, driver: GpuDriver, look: Callable[[], HostCapabilities]) -> None:
        """Take the driver, and how to look at the host: cheap, and asked with every reading."""
        self._driver = driver
        self._look = look

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Read the cards, and say of each what it enforces as it is cut now."""
        found = await self._driver.read(busy_pct, used_mib)
        host = self._look()
        cards = [
            replace(
                look,
                facts=look.facts.model_copy(
                    update={"isolation": enforceable_modes(host, look.facts)}
                ),
            )
            for look in found.cards
        ]
        return replace(found, cards=tuple(cards))

    async def wait_for_event(self) -> None:
        """Wait for the driver's own news."""
        await self._driver.wait_for_event()
