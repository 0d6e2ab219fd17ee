"""Everything a node agent and the portal say to each other.

One WebSocket per node, opened by the agent; each text frame is one message, told apart by `type`.
The protocol is level-triggered: a reply carries the full desired state, so any message may be
lost, doubled, late or reordered. Units: MiB, milli-CPU, seconds; times are UTC milliseconds.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from wire.facts import Isolation, NodeFacts
from wire.samples import Telemetry
from wire.values import (
    DEVICES_MAX,
    SLOT_MAX,
    Count,
    Identifier,
    Message,
    Millis,
    Port,
    ShortText,
)

REPLICAS_MAX = 64
"""Ranks of one job."""
PORTS_MAX = 8
"""Ports that one container may offer."""
DATASETS_MAX = 16
"""Data sets that one container may read."""
STOP_GRACE_S_MAX = 3600
"""Between the polite and the final signal to a container."""
LOG_CHUNK_MAX = 64 * 1024
"""Bytes of log text in one message, before base64."""


NoticeSignal = Literal["", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"]
"""What work asks to be warned with before it is stopped; empty is its notice file alone."""


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
    KILLED = "killed"
    """By a signal that neither the platform nor the kernel's memory limit sent."""
    DISK_FULL = "disk_full"
    """It wrote more than its disk quota, or its host had no room left for it."""
    GPU_MEMORY_EXCEEDED = "gpu_memory_exceeded"
    """It held more of a shared card than its share, and no wall was there to refuse it."""
    START_FAILED = "start_failed"
    IMAGE_UNAVAILABLE = "image_unavailable"
    ISOLATION_UNAVAILABLE = "isolation_unavailable"
    """The card cannot enforce what the pool demands, or the proof after the start failed."""
    DEVICE_LOST = "device_lost"
    NODE_FAULT = "node_fault"
    """The engine, its GPU runtime or the disk of the node; the detail is for its operator."""
    NODE_REBOOTED = "node_rebooted"
    LEASE_ENDED = "lease_ended"
    VANISHED = "vanished"


INFRASTRUCTURE_CAUSES = frozenset(
    {
        ExitCause.ISOLATION_UNAVAILABLE,
        ExitCause.DEVICE_LOST,
        ExitCause.NODE_FAULT,
        ExitCause.NODE_REBOOTED,
        ExitCause.LEASE_ENDED,
        ExitCause.VANISHED,
    }
)
"""Ends that are not the work's own doing: it is queued again, and elsewhere where that is possible."""


class CardsWord(StrEnum):
    """Whether a container that may lose its cards for a while has them."""

    HELD = "held"
    LEAVING = "leaving"
    AWAY = "away"
    """Nothing of it is on them, as verified: they may be given to others."""
    KEPT = "kept"
    """It was told to leave them, and could not."""
    RETURNING = "returning"


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
    key_life_s: Count | None = None
    """From now on; None where it is not known, and then the agent asks for a new one at once."""


class NewKey(Message):
    """Answer to POST `/node/v1/key` with the present key: its first use ends the earlier ones."""

    key: Annotated[str, StringConstraints(max_length=200)]
    life_s: Count


class Terms(Message):
    """The times of the protocol, as the portal keeps them; both sides must agree."""

    heartbeat_ms: Annotated[int, Field(ge=100, le=60_000)]
    lease_ttl_ms: Annotated[int, Field(ge=1_000, le=600_000)]
    """From the send time of the heartbeat that is being answered."""
    lease_grace_ms: Annotated[int, Field(ge=500, le=600_000)]
    """What the portal waits beyond it; the watchdog must be done in this time."""


class ContainerReport(Message):
    """A container that exists on the node now."""

    allocation: Identifier
    epoch: Count
    phase: Phase
    port: Port | None = None
    """Where an environment's web application listens, once it does."""
    started_at: Millis | None = None
    detail: ShortText = ""
    """Step of a start for the timeline, such as `pulling` or `waiting_for_http`."""
    progress_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    """How far the step has come, where that is known: an image's layers while pulling."""
    ports: Annotated[dict[Identifier, Port], Field(max_length=PORTS_MAX)] = {}
    """Where the extra ports of the order are reached on the node's address, by their number."""
    isolation: Isolation | None = None
    """What is really in force between this container and others on its cards, as verified."""
    checkpointed_at: Millis | None = None
    """When the work last said, by its checkpoint file, that it is saved."""
    idle_ms: Count | None = None
    """How long ago it was last seen in use; None where nobody looks. An age, not a time: the clocks
    of nodes differ."""
    use_mark: Count = 0
    """Another number than before means that it was in use since."""
    used_by: ShortText = ""
    """What that use was: `kernel`, `terminal`, `cards`, `cpu`, `start`."""
    cards: CardsWord = CardsWord.HELD
    cards_words: ShortText = ""
    """Why it keeps them, or what became of its work on the way back; begins with a code."""


class FinishedReport(Message):
    """A container that has ended and is gone from the node; repeated until acknowledged."""

    allocation: Identifier
    epoch: Count
    cause: ExitCause
    exit_code: Annotated[int, Field(ge=-1024, le=1024)] | None = None
    started_at: Millis | None = None
    finished_at: Millis
    detail: ShortText = ""
    checkpointed_at: Millis | None = None
    """When the work last said that it is saved."""


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
    slot: Annotated[int, Field(ge=0, le=SLOT_MAX)] = 0
    slices: Annotated[int, Field(ge=1, le=SLOT_MAX)] = 1
    """Into how many slices the card is cut; 1 is the whole card."""
    share_milli: Annotated[int, Field(ge=0, le=999)] = 0
    """Above 0 a share of so many thousandths; `slot` then only tells the card's shares apart."""
    profile: ShortText = ""
    """Hardware partition that covers this slot, such as `1g.10gb`; `slices` are memory slices then."""
    memory_mib: Count
    """Guaranteed to the holder; the whole card's when it is not cut."""
    ceiling_mib: Count | None = None
    """What it may burst to while others leave it free; None means no more than guaranteed."""
    compute_milli: Annotated[int, Field(ge=0, le=1000)] = 0
    """Share of the card's processors where the mode can enforce one; 0 means no limit."""
    isolation: Isolation | None = None
    """The weakest that will do; None leaves it to the node. Never silently less."""


class DatasetMount(Message):
    """Data that everybody may read and nobody may change, under `/data/<name>`."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]
    path: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    """Below the node's `datasets_dir`; resolved without following any link out of it."""


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
    ports: Annotated[tuple[Port, ...], Field(max_length=PORTS_MAX)] = ()
    """What else the work serves: TensorBoard, VS Code; reached through the gateway only."""
    datasets: Annotated[tuple[DatasetMount, ...], Field(max_length=DATASETS_MAX)] = ()
    disk_mib: Count = 0
    """What its folder and writable layer may grow to together; 0 leaves it to the node."""
    ranks_here: Annotated[int, Field(ge=1, le=REPLICAS_MAX)] = 1
    """Ranks of the same attempt on this node."""
    local_rank: Annotated[int, Field(ge=0, lt=REPLICAS_MAX)] = 0
    hosts: Annotated[tuple[ShortText, ...], Field(max_length=REPLICAS_MAX)] = ()
    """Addresses of the nodes of all ranks, in the order of the ranks."""
    restart: Annotated[int, Field(ge=0, le=2**31)] = 0
    """How often this work was started before, for whatever reason."""
    launcher: Literal["plain", "torchrun", "mpi"] = "plain"
    tenant: ShortText = ""
    """Whom it may share a fault with: its group, or its pool where that mixes groups."""


class DesiredContainer(Message):
    """A container that shall exist."""

    allocation: Identifier
    epoch: Count
    devices: Annotated[tuple[Device, ...], Field(max_length=DEVICES_MAX)] = ()
    spec: ContainerSpec
    is_parked: bool = False
    """It lives on without its cards: it leaves those that it has."""


class Ack(Message):
    """A finished report or tombstone that the server has settled; the node may forget it."""

    allocation: Identifier
    epoch: Count


class StopGrace(Message):
    """How long a container that is not desired any more may take, and how it is told.

    Its notice file is written at once and the signal sent; `notice_s` later comes the polite stop
    (SIGTERM), and `seconds` after the notice the end by force.
    """

    allocation: Identifier
    epoch: Count
    seconds: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)]
    notice_s: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)] = 0
    signal: NoticeSignal = ""
    reason: ShortText = ""
    """The code of why, such as `preempted` or `time_limit`."""


class Desired(Message):
    """Answer to the heartbeat with the same `seq`: the full desired state of the node."""

    type: Literal["desired"] = "desired"
    seq: Count
    containers: Annotated[tuple[DesiredContainer, ...], Field(max_length=4096)] = ()
    acks: Annotated[tuple[Ack, ...], Field(max_length=8192)] = ()
    graces: Annotated[tuple[StopGrace, ...], Field(max_length=4096)] = ()
    """For what was evicted; everything else that is not desired has the node's own grace."""
    images: Annotated[tuple[ShortText, ...], Field(max_length=64)] = ()
    """To be kept here and pulled beforehand: those that people start from."""
    retests: Annotated[dict[Identifier, Count], Field(max_length=DEVICES_MAX)] = {}
    """Cards that an operator wants judged anew, each with the number of that order: it only rises."""
    terms: Terms | None = None
    """None means the protocol's own."""


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


class OpenStream(Message):
    """Connect `/node/v1/streams/<stream>` with the node's key and join it to a container.

    All access goes this way, so that a node needs no open port: a terminal, an SSH session, a port.
    """

    type: Literal["open_stream"] = "open_stream"
    stream: Identifier
    allocation: Identifier
    epoch: Count
    kind: Literal["terminal", "port"]
    port: Port | None = None
    """Of a `port`: inside the container."""
    columns: Annotated[int, Field(ge=1, le=1000)] = 80
    rows: Annotated[int, Field(ge=1, le=1000)] = 24
    command: Annotated[str, StringConstraints(max_length=32768)] = ""
    """What the shell of a `terminal` runs; empty is an interactive shell."""
    has_tty: bool = True
    """Whether a `terminal` really is one; without it standard error is kept apart."""


FromAgent = Annotated[Heartbeat | LogChunk | Telemetry, Field(discriminator="type")]
ToAgent = Annotated[Desired | Nudge | LogAck | Refused | OpenStream, Field(discriminator="type")]
