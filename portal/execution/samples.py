"""What a node, its cards and its containers use over time; a port of every back end.

Fields have the names and the meaning of those in `wire.samples`, where they are described.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from portal.execution.report import OfAttempt


@dataclass(frozen=True, slots=True)
class ContainerUse(OfAttempt):
    """The usage of one container; values are empty if unmeasured, never copied from the card."""

    cpu_ms: int
    memory_mib: int
    disk_mib: int | None = None
    rx_bytes: int | None = None
    tx_bytes: int | None = None
    gpu_memory_mib: int | None = None
    gpu_utilisation_pct: int | None = None


@dataclass(frozen=True, slots=True)
class CardUse:
    """The usage of one card."""

    uuid: str
    utilisation_pct: int | None = None
    memory_used_mib: int | None = None
    power_mw: int | None = None
    energy_mj: int | None = None
    temperature_c: int | None = None


@dataclass(frozen=True, slots=True)
class HostUse:
    """The usage of a node's whole host, by any program; what is not measured is empty, never zero."""

    cpus: int | None = None
    cpu_ms: int | None = None
    memory_used_mib: int | None = None
    memory_mib: int | None = None
    disk_used_mib: int | None = None
    disk_mib: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    rx_bytes: int | None = None
    tx_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class NodeSample:
    """The usage of everything on a node at one moment, in milliseconds of the node's clock."""

    at: int
    host: HostUse | None = None
    cards: Sequence[CardUse] = ()
    containers: Sequence[ContainerUse] = ()


class SampleStore(Protocol):
    """Records samples of a node; a lost one is a gap in a chart and nothing more."""

    def __call__(self, node_id: UUID, samples: Sequence[NodeSample]) -> None:
        """Record those of the node itself, its own cards and its own containers."""
