"""Ports to the cards of a node: what their driver reports, and whose processes use them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from nodeagent.core.state import ContainerKey
from wire.facts import AcceleratorFacts, NodeFault


@dataclass(frozen=True, slots=True)
class CardProcess:
    """A process that uses a card."""

    pid: int
    """In the host's PID namespace."""
    memory_mib: int | None
    """None where the driver does not report it."""
    utilisation_pct: int | None = None


@dataclass(frozen=True, slots=True)
class CardReading:
    """One card as its driver reports it at one moment."""

    facts: AcceleratorFacts
    """Its health is what the driver alone can tell: ok, bad or gone."""
    processes: tuple[CardProcess, ...] | None = None
    """All that use it, of any owner; None when the driver cannot list them."""
    xids: tuple[int, ...] = ()
    """Reported since the last reading, in NVIDIA's numbers."""
    ecc_uncorrected: int = 0
    """Memory errors that were neither corrected nor remapped, since the driver was loaded."""
    has_remap_failed: bool = False
    """Whether a broken row of its memory could not be remapped."""
    bus_id: str = ""
    """Its PCI address, such as `0000:c1:00.0`, where the driver reports one."""
    file_number: int | None = None
    """The number in the name of its device file, where that is not its index."""


@dataclass(frozen=True, slots=True)
class CardReadings:
    """One reading of all cards of a node."""

    cards: tuple[CardReading, ...] = ()
    """Every card ever seen by this agent; one that is missing now is gone."""
    faults: tuple[NodeFault, ...] = ()
    driver: str = ""
    """Its version; empty when it is not known."""


class GpuDriver(Protocol):
    """Reads the cards of this node. Answers within seconds, whatever the hardware does."""

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Read every card. The load of its holders, by UUID, is for drivers that simulate."""

    async def wait_for_event(self) -> None:
        """Return when the cards should be read at once, such as after an Xid; may never return."""


class OwnerLookup(Protocol):
    """Finds the container that a process of this host belongs to."""

    async def find_owners(self, pids: frozenset[int]) -> Mapping[int, ContainerKey]:
        """Return the container of each process that is in one of this node's."""
