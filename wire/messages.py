"""Everything a node agent and the portal say to each other.

One WebSocket per node, opened by the agent; each text frame is one message, told apart by `type`.
The protocol is level-triggered: a reply carries the full desired state, so any message may be
lost, doubled, late or reordered. Units: MiB, milli-CPU, seconds; times are UTC milliseconds.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Identifier = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^\w[\w.:-]*$")]
ShortText = Annotated[str, StringConstraints(max_length=200)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Millis = Annotated[int, Field(ge=0, le=2**53)]

REPLICAS_MAX = 64
DEVICES_MAX = 64
STOP_GRACE_S_MAX = 3600
LOG_CHUNK_MAX = 64 * 1024
"""Bytes of log text in one message, before base64."""


class Message(BaseModel):
    """Base of all messages: immutable; unknown fields are ignored, so that N-1 can talk to N."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Phase(StrEnum):
    """What the node knows about one container."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"


class ExitCause(StrEnum):
    """Why a container ended."""

    EXITED = "exited"
    STOPPED = "stopped"
    OUT_OF_MEMORY = "out_of_memory"
    START_FAILED = "start_failed"
    IMAGE_UNAVAILABLE = "image_unavailable"
    LEASE_ENDED = "lease_ended"
    VANISHED = "vanished"


INFRASTRUCTURE_CAUSES = frozenset({ExitCause.LEASE_ENDED, ExitCause.VANISHED})
"""Ends that are not the work's own doing: it is queued again."""


class AcceleratorMode(StrEnum):
    """How a card may be used."""

    EXCLUSIVE = "exclusive"
    SHARED = "shared"


class AcceleratorHealth(StrEnum):
    """What the driver says about a card."""

    OK = "ok"
    DIRTY = "dirty"
    BAD = "bad"
    GONE = "gone"


class AcceleratorFacts(Message):
    """One card as the node sees it, identified by UUID, never by index."""

    uuid: Identifier
    index: Annotated[int, Field(ge=0, le=255)]
    vendor: ShortText
    model: ShortText
    memory_mib: Count
    health: AcceleratorHealth = AcceleratorHealth.OK
    simulated: bool = False
    utilisation_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    """None when it is not measured, never zero in its place."""
    memory_used_mib: Count | None = None


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


class Join(Message):
    """POST body of `/node/v1/join`: a one-time token buys a node key."""

    protocol: int
    token: Annotated[str, StringConstraints(min_length=16, max_length=200)]
    name: Identifier
    facts: NodeFacts


class Joined(Message):
    """Answer to `Join`: the identity that every later connection proves."""

    node_id: Identifier
    key: Annotated[str, StringConstraints(max_length=200)]


class ContainerReport(Message):
    """A container that exists on the node now."""

    allocation: Identifier
    epoch: Count
    phase: Phase
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Where an environment's web application listens, once it does."""
    started_at: Millis | None = None
    detail: ShortText = ""
    """Step of a start for the timeline, such as `pulling` or `waiting_for_http`."""


class FinishedReport(Message):
    """A container that has ended and is gone from the node; repeated until acknowledged."""

    allocation: Identifier
    epoch: Count
    cause: ExitCause
    exit_code: Annotated[int, Field(ge=-1024, le=1024)] | None = None
    started_at: Millis | None = None
    finished_at: Millis
    detail: ShortText = ""


class Tombstone(Message):
    """Proof that the node has once taken this epoch and has nothing of it left."""

    allocation: Identifier
    epoch: Count


class Heartbeat(Message):
    """The whole truth of a node, every 5 s and at once on change."""

    type: Literal["heartbeat"] = "heartbeat"
    protocol: int
    boot_id: Identifier
    """Changes when the host was rebooted: nothing that ran before survives."""
    seq: Count
    """Rises by one with each heartbeat of this node, across agent restarts."""
    applied: Annotated[int, Field(ge=-1, le=2**53)] = -1
    """`seq` of the last reply the agent acted on; -1 before the first."""
    facts: NodeFacts
    containers: Annotated[tuple[ContainerReport, ...], Field(max_length=4096)] = ()
    finished: Annotated[tuple[FinishedReport, ...], Field(max_length=4096)] = ()
    tombstones: Annotated[tuple[Tombstone, ...], Field(max_length=4096)] = ()


class Device(Message):
    """One card or slice given to a replica."""

    uuid: Identifier
    slot: Annotated[int, Field(ge=0, le=255)] = 0
    slices: Annotated[int, Field(ge=1, le=255)] = 1
    """Into how many slices the card is cut; 1 is the whole card."""
    memory_mib: Count


class ContainerSpec(Message):
    """What to run. The agent adds devices, rank and paths to the environment itself."""

    kind: Literal["environment", "training"]
    workload: Identifier
    """Names the workspace or output folder: `<storage>/workspaces/<workload>` or `outputs/`."""
    name: ShortText
    image: ShortText
    """Docker reference; the process runtime maps it to a local Python environment."""
    command: Annotated[tuple[str, ...], Field(max_length=256)] = ()
    script: Annotated[str, StringConstraints(max_length=65536)] = ""
    """Run instead of `command` when given; its first line may name the interpreter."""
    env: Annotated[dict[str, str], Field(max_length=128)] = {}
    cpu_milli: Count
    memory_mib: Count
    rank: Annotated[int, Field(ge=0, lt=REPLICAS_MAX)] = 0
    ranks: Annotated[int, Field(ge=1, le=REPLICAS_MAX)] = 1
    master_address: ShortText = ""
    """Address of the node that runs rank 0; empty means this node."""
    app_token: ShortText = ""
    """Secret of an environment's web application; the gateway adds it upstream."""
    base_path: ShortText = "/"
    """Path under which the gateway serves an environment's web application."""


class DesiredContainer(Message):
    """A container that shall exist."""

    allocation: Identifier
    epoch: Count
    devices: Annotated[tuple[Device, ...], Field(max_length=DEVICES_MAX)] = ()
    spec: ContainerSpec


class Ack(Message):
    """A finished report or tombstone that the server has settled; the node may forget it."""

    allocation: Identifier
    epoch: Count


class StopGrace(Message):
    """How long a container that is not desired any more may take to stop by itself."""

    allocation: Identifier
    epoch: Count
    seconds: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)]


class Desired(Message):
    """Answer to the heartbeat with the same `seq`: the full desired state of the node."""

    type: Literal["desired"] = "desired"
    seq: Count
    containers: Annotated[tuple[DesiredContainer, ...], Field(max_length=4096)] = ()
    acks: Annotated[tuple[Ack, ...], Field(max_length=8192)] = ()
    graces: Annotated[tuple[StopGrace, ...], Field(max_length=4096)] = ()
    """For what was evicted; everything else that is not desired has the node's own grace."""


class Nudge(Message):
    """Something changed: send a heartbeat now. Losing one costs at most 5 s."""

    type: Literal["nudge"] = "nudge"


class LogChunk(Message):
    """Log bytes of one container from `offset` on; the server's file size is the truth."""

    type: Literal["log"] = "log"
    allocation: Identifier
    epoch: Count
    offset: Count
    data: Annotated[str, StringConstraints(max_length=LOG_CHUNK_MAX * 4 // 3 + 4)]
    """Base64 of at most 64 KiB."""


class LogAck(Message):
    """How many log bytes of this container the server holds; the agent goes on from there."""

    type: Literal["log_ack"] = "log_ack"
    allocation: Identifier
    epoch: Count
    size: Count


class Refused(Message):
    """The server did not accept the message or the node; `code` says why."""

    type: Literal["refused"] = "refused"
    code: Identifier
    detail: ShortText = ""


FromAgent = Annotated[Heartbeat | LogChunk, Field(discriminator="type")]
ToAgent = Annotated[Desired | Nudge | LogAck | Refused, Field(discriminator="type")]
