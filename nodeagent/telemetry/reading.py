"""A reading of the host, the cards and the containers of a node."""

from collections.abc import Mapping
from dataclasses import dataclass

from nodeagent.core.state import Container, ContainerKey
from nodeagent.ports import ContainerUsage, GpuUsage
from wire.facts import AcceleratorFacts
from wire.samples import HostSample


@dataclass(frozen=True, slots=True)
class NodeReading:
    """The host, cards and containers of a node at one moment; for telemetry."""

    at: int
    """UTC in milliseconds."""
    accelerators: tuple[AcceleratorFacts, ...]
    containers: tuple[Container, ...]
    usage: Mapping[ContainerKey, ContainerUsage]
    card_use: Mapping[ContainerKey, GpuUsage]
    """By container; those that were not measured are absent."""
    host: HostSample | None = None
    """What the whole host uses; None if it was not measured."""
