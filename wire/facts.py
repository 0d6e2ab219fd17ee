"""The facts that a node reports about itself: cards, resources, faults."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from wire.values import DEVICES_MAX, SLOT_MAX, Count, Identifier, Message, ShortText
from wire.words import Isolation

DATASET_FOLDERS_MAX: Final = 64
"""Folders of data sets that a node reports with every heartbeat."""


class AcceleratorHealth(StrEnum):
    """The health of a card as reported by its driver."""

    OK = "ok"
    DIRTY = "dirty"
    BAD = "bad"
    GONE = "gone"


class MigDevice(Message):
    """A MIG instance of a card."""

    uuid: Identifier
    profile: ShortText
    """Such as `1g.10gb`."""
    memory_mib: Count
    start: Annotated[int, Field(ge=0, le=15)] = 0
    """The first memory slice that it covers."""


class MigProfile(Message):
    """A MIG profile that a card offers, and where its instances may start."""

    name: ShortText
    """Such as `1g.10gb`."""
    memory_mib: Count
    compute: Annotated[int, Field(ge=1, le=16)]
    """Number of compute slices."""
    size: Annotated[int, Field(ge=1, le=8)]
    """Number of memory slices."""
    starts: Annotated[tuple[Annotated[int, Field(ge=0, le=7)], ...], Field(max_length=8)]
    """Memory slices at which it may start."""


class AcceleratorFacts(Message):
    """A card as seen by the node, identified by UUID, never by index."""

    uuid: Identifier
    index: Annotated[int, Field(ge=0, le=SLOT_MAX)]
    vendor: ShortText
    model: ShortText
    memory_mib: Count
    health: AcceleratorHealth = AcceleratorHealth.OK
    simulated: bool = False
    utilisation_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    """None if it is not measured; zero is never used instead."""
    memory_used_mib: Count | None = None
    fault: ShortText = ""
    """Why it is not `ok`, as a code such as `xid_79`, `ecc_uncorrectable`, `memory_not_returned`."""
    isolation: Annotated[tuple[Isolation, ...], Field(max_length=8)] = ()
    """The isolation modes that this card can really enforce between tenants, strongest first; as
    probed."""
    island: Annotated[int, Field(ge=0, le=SLOT_MAX)] = 0
    """Cards of a node with the same number are connected by NVLink."""
    driver: ShortText = ""
    mig: Annotated[tuple[MigDevice, ...], Field(max_length=16)] = ()
    """Its MIG instances; empty if there are none."""
    profiles: Annotated[tuple[MigProfile, ...], Field(max_length=16)] = ()
    """The profiles that it offers; empty unless MIG is enabled."""
    retested: Count = 0
    """Number of the last retest order that was carried out; see `Desired.retests`."""
    power_mw: Count | None = None
    energy_mj: Count | None = None
    """Energy consumption since the driver was loaded."""
    temperature_c: Annotated[int, Field(ge=-50, le=200)] | None = None


class NodeFault(Message):
    """A fault that keeps a node from taking work, or soon will."""

    code: Identifier
    """Such as `engine_silent`, `disk_pressure`, `disk_full`, `inodes_full`, `nvml_hangs`,
    `runc_too_old`."""
    detail: ShortText = ""
    is_blocking: bool = True
    """Whether the node may take no new work while the fault lasts."""
    free_mib: Count | None = None
    """For a fault of a disk: its free space and its size."""
    size_mib: Count | None = None


class NodeFacts(Message):
    """The resources and the software of a node; sent on joining and with every heartbeat."""

    hostname: ShortText
    agent_version: ShortText
    runtime: Literal["docker", "process"]
    isolated: bool
    """False for the process runtime: every page of the portal says so."""
    cpu_milli: Count
    memory_mib: Count
    address: ShortText
    """The host name or address at which the portal's gateway reaches this node's notebook ports."""
    accelerators: Annotated[tuple[AcceleratorFacts, ...], Field(max_length=DEVICES_MAX)] = ()
    faults: Annotated[tuple[NodeFault, ...], Field(max_length=32)] = ()
    switch: ShortText = ""
    """Network switch or rack, as configured by the operator."""
    disk_mib: Count | None = None
    """Size of the file system with the containers and images; None if unknown."""
    disk_free_mib: Count | None = None
    dataset_folders: (
        Annotated[tuple[ShortText, ...], Field(max_length=DATASET_FOLDERS_MAX)] | None
    ) = None
    """The folders in its `datasets_dir`, and `first/second` for folders in them if there is room; empty if
    none is set, None if unknown or too many."""
    versions: Annotated[dict[Identifier, ShortText], Field(max_length=16)] = {}
    """Of `engine`, `runc`, `driver`, `toolkit`, `kernel`, as far as present."""
    machine_id: ShortText = ""
    """The machine across its boots, as `<source>:<digest>`; empty if it cannot be found."""
    saves_images: bool = False
    """Whether it can save a running container as an image (`Desired.image_saves`)."""
    builds_images: bool = False
    """Whether it can run a container that builds one (`ContainerSpec.builds_image`)."""
