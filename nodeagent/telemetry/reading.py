"""One look at the cards and the containers of a node."""

from collections.abc import Mapping
from dataclasses import dataclass

from nodeagent.core.state import Container, ContainerKey
from nodeagent.ports import ContainerUsage, GpuUsage
from wire.facts import AcceleratorFacts


@dataclass(frozen=True, slots=True)
class NodeReading:
    """One look at the cards and the containers; for telemetry."""

    at: int
    """UTC, milliseconds."""
    accelerators: tuple[AcceleratorFacts, ...]
    containers: tuple[Container, ...]
    usage: Mapping[ContainerKey, ContainerUsage]
    card_use: Mapping[ContainerKey, GpuUsage]
    """By container; one that is missing was not measured."""
