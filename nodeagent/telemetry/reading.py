"""One look at the cards and the containers of a node."""

from collections.abc import Mapping
from dataclasses import dataclass

from nodeagent.core.state import Container, Key
from nodeagent.ports import CardUse, Usage
from wire.facts import AcceleratorFacts


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at the cards and the containers; for telemetry."""

    at: int
    """UTC, milliseconds."""
    accelerators: tuple[AcceleratorFacts, ...]
    containers: tuple[Container, ...]
    usage: Mapping[Key, Usage]
    card_use: Mapping[Key, CardUse]
    """By container; one that is missing was not measured."""
