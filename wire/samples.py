"""What nodes, cards and containers used, moment by moment."""

from typing import Annotated, Literal

from pydantic import Field

from wire.values import DEVICES_MAX, Count, Identifier, Message, Millis


class ContainerSample(Message):
    """What one container used; empty where it cannot be measured, never the card's in its place."""

    allocation: Identifier
    epoch: Count
    cpu_ms: Count
    """Since its start."""
    memory_mib: Count
    disk_mib: Count | None = None
    rx_bytes: Count | None = None
    tx_bytes: Count | None = None
    gpu_memory_mib: Count | None = None
    gpu_utilisation_pct: Annotated[int, Field(ge=0, le=100)] | None = None


class CardSample(Message):
    """What one card did."""

    uuid: Identifier
    utilisation_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    memory_used_mib: Count | None = None
    power_mw: Count | None = None
    energy_mj: Count | None = None
    temperature_c: Annotated[int, Field(ge=-50, le=200)] | None = None


class Sample(Message):
    """One look at everything on a node."""

    at: Millis
    cards: Annotated[tuple[CardSample, ...], Field(max_length=DEVICES_MAX)] = ()
    containers: Annotated[tuple[ContainerSample, ...], Field(max_length=4096)] = ()


class Telemetry(Message):
    """Samples since the last ones; a lost message is a gap in a chart and nothing more."""

    type: Literal["telemetry"] = "telemetry"
    samples: Annotated[tuple[Sample, ...], Field(max_length=60)]
