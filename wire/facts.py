"""What a node says of itself: its cards, its room, its faults."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from wire.values import DEVICES_MAX, SLOT_MAX, Count, Identifier, Message, ShortText


class Isolation(StrEnum):
    """What keeps the tenants of one card apart, strongest first; see `docs/admin/gpu-sharing.md`."""

    EXCLUSIVE = "exclusive"
    """One tenant has the whole card."""
    MIG = "mig"
    CGROUP = "cgroup"
    HAMI = "hami"
    MPS = "mps"
    TIMESLICE = "timeslice"
    """Nothing but the agent's watchdog."""


class AcceleratorHealth(StrEnum):
    """What the driver says about a card."""

    OK = "ok"
    DIRTY = "dirty"
    BAD = "bad"
    GONE = "gone"


class MigDevice(Message):
    """One hardware partition of a card."""

    uuid: Identifier
    profile: ShortText
    """Such as `1g.10gb`."""
    memory_mib: Count
    start: Annotated[int, Field(ge=0, le=15)] = 0
    """First memory slice that it covers."""


class MigProfile(Message):
    """One kind of hardware partition that a card can be cut into, and where it may begin."""

    name: ShortText
    """Such as `1g.10gb`."""
    memory_mib: Count
    compute: Annotated[int, Field(ge=1, le=16)]
    """Processor slices."""
    size: Annotated[int, Field(ge=1, le=8)]
    """Memory slices that it covers."""
    starts: Annotated[tuple[Annotated[int, Field(ge=0, le=7)], ...], Field(max_length=8)]
    """First memory slices that it may cover."""


class AcceleratorFacts(Message):
    """One card as the node sees it, identified by UUID, never by index."""

    uuid: Identifier
    index: Annotated[int, Field(ge=0, le=SLOT_MAX)]
    vendor: ShortText
    model: ShortText
    memory_mib: Count
    health: AcceleratorHealth = AcceleratorHealth.OK
    simulated: bool = False
    utilisation_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    """None when it is not measured, never zero in its place."""
    memory_used_mib: Count | None = None
    fault: ShortText = ""
    """Why it is not `ok`, as a code such as `xid_79`, `ecc_uncorrectable`, `memory_not_returned`."""
    isolation: Annotated[tuple[Isolation, ...], Field(max_length=8)] = ()
    """What this card can really enforce between tenants, strongest first; as probed."""
    island: Annotated[int, Field(ge=0, le=SLOT_MAX)] = 0
    """Cards of one node with the same number reach each other over NVLink."""
    driver: ShortText = ""
    mig: Annotated[tuple[MigDevice, ...], Field(max_length=16)] = ()
    """How the card is cut in hardware; empty when it is not."""
    profiles: Annotated[tuple[MigProfile, ...], Field(max_length=16)] = ()
    """What can be cut of it; empty unless it is switched to MIG."""
    retested: Count = 0
    """Number of the last order to judge it anew that was carried out; see `Desired.retests`."""
    power_mw: Count | None = None
    energy_mj: Count | None = None
    """Since the driver was loaded."""
    temperature_c: Annotated[int, Field(ge=-50, le=200)] | None = None


class NodeFault(Message):
    """Something that keeps a node from taking work, or will soon."""

    code: Identifier
    """Such as `engine_silent`, `disk_pressure`, `disk_full`, `inodes_full`, `nvml_hangs`, `runc_too_old`."""
    detail: ShortText = ""
    is_blocking: bool = True
    """Whether the node may take no new work while it lasts."""
    free_mib: Count | None = None
    """Of a disk that it is about: what is left, and its size."""
    size_mib: Count | None = None


class NodeFacts(Message):
    """What a node offers and runs; sent on joining and with every heartbeat."""

    hostname: ShortText
    agent_version: ShortText
    runtime: Literal["docker", "process"]
    isolated: bool
    """False for the process runtime: every page says so."""
    cpu_milli: Count
    memory_mib: Count
    address: ShortText
    """Host under which the portal's gateway reaches this node's notebook ports."""
    accelerators: Annotated[tuple[AcceleratorFacts, ...], Field(max_length=DEVICES_MAX)] = ()
    faults: Annotated[tuple[NodeFault, ...], Field(max_length=32)] = ()
    switch: ShortText = ""
    """Network switch or rack, as its operator wrote it down."""
    disk_mib: Count | None = None
    """Size of the file system with the containers and images; None when it is not known."""
    disk_free_mib: Count | None = None
    versions: Annotated[dict[Identifier, ShortText], Field(max_length=16)] = {}
    """Of `engine`, `runc`, `driver`, `toolkit`, `kernel`, as far as they are there."""
