"""Resource usage of nodes, cards and containers over time."""

from typing import Annotated, Literal

from pydantic import Field

from wire.values import DEVICES_MAX, Count, Identifier, Message, Millis


class ContainerSample(Message):
    """The usage of one container; values are empty if unmeasured, never copied from the card."""

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
    """The usage of one card."""

    uuid: Identifier
    utilisation_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    memory_used_mib: Count | None = None
    power_mw: Count | None = None
    energy_mj: Count | None = None
    temperature_c: Annotated[int, Field(ge=-50, le=200)] | None = None


class HostSample(Message):
    """The usage of a node's whole host, by any program; what is not measured is empty, never zero.

    Counters only rise until the host boots or the largest count is reached.
    """

    cpus: Count | None = None
    """Processors that are online."""
    cpu_ms: Count | None = None
    """Busy time of all processors since boot."""
    memory_used_mib: Count | None = None
    """What the kernel could not make available without swapping."""
    memory_mib: Count | None = None
    disk_used_mib: Count | None = None
    """Of the file system that `NodeFacts.disk_mib` is the size of."""
    disk_mib: Count | None = None
    read_bytes: Count | None = None
    """From all physical disks, as `written_bytes` are to them."""
    written_bytes: Count | None = None
    rx_bytes: Count | None = None
    """By all physical interfaces, as `tx_bytes`."""
    tx_bytes: Count | None = None


class Sample(Message):
    """The usage of everything on a node at one moment."""

    at: Millis
    host: HostSample | None = None
    """None of an agent that does not measure it yet."""
    cards: Annotated[tuple[CardSample, ...], Field(max_length=DEVICES_MAX)] = ()
    containers: Annotated[tuple[ContainerSample, ...], Field(max_length=4096)] = ()


class Telemetry(Message):
    """The samples since the last message; a lost message is a gap in a chart and nothing more."""

    type: Literal["telemetry"] = "telemetry"
    samples: Annotated[tuple[Sample, ...], Field(max_length=60)]
