"""The messages between a node agent and the portal.

One WebSocket per node, opened by the agent; each text frame is one message, distinguished by
`type`. The protocol is level-triggered: a reply carries the full desired state, so any message may
be lost, duplicated, late or reordered. Units: MiB, milli-CPU, seconds; times are UTC milliseconds.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from wire.facts import NodeFacts
from wire.images import IMAGES_MAX, LOGIN_HOSTS_MAX, SAVES_MAX, ImageSaveReport, SaveImage
from wire.logs import LogAck, LogChunk
from wire.mounts import (
    DATASETS_MAX,
    INPUTS_MAX,
    VOLUMES_MAX,
    DatasetMount,
    InputMount,
    VolumeMount,
)
from wire.samples import Telemetry
from wire.values import (
    COUNT_MAX,
    DEVICES_MAX,
    PORT_MAX,
    SLOT_MAX,
    TEXT_MAX,
    Count,
    Identifier,
    Message,
    Millis,
    Port,
    ShortText,
    is_identifier,
)
from wire.versions import STOP_GRACE_S
from wire.words import (
    Device,
    ExitCause,
    GpuReleaseState,
    Isolation,
    Phase,
    Probe,
    SilenceTerm,
    Terms,
)

REPLICAS_MAX = 64
"""Ranks of one job."""
PORTS_MAX = 8
"""Ports that one container may offer."""
STOP_GRACE_S_MAX = 3600
"""Between the polite and the final signal to a container."""
CLUSTER_LAUNCHERS: Final = frozenset({"ray", "dask"})
"""Launchers that run a cluster over all ranks, and the work's own command once."""
FRAMEWORKS: Final = frozenset({"accelerate", "deepspeed"})
"""Launchers of frameworks, which do what `torchrun` does and some more."""

DEVICE_RANGES: Final = {
    "slot": (0, SLOT_MAX),
    "slices": (1, SLOT_MAX),
    "gpu_milli": (0, 999),
    "memory_mib": (0, COUNT_MAX),
    "ceiling_mib": (0, COUNT_MAX),
    "compute_milli": (0, 1000),
}
TERMS_RANGES: Final = {
    "heartbeat_ms": (100, 60_000),
    "lease_ttl_ms": (1_000, 600_000),
    "lease_grace_ms": (500, 600_000),
}
PROBE_RANGES: Final = {
    "port": (1, PORT_MAX),
    "period_ms": (50, 60_000),
    "deadline_s": (1, 86_400),
}
_PROBE_PATH: Final = r"/[!-~]*"


NoticeSignal = Literal["", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"]
"""The signal sent to work before it is stopped; empty: the notice file only."""


def _check_ranges(item: object, ranges: Mapping[str, tuple[int, int]]) -> None:
    """Raise `ValueError` if a number is out of its range; None is in every range."""
    for name, (low, high) in ranges.items():
        value = getattr(item, name)
        if value is not None and not low <= value <= high:
            raise ValueError(f"{name} is not from {low} to {high}")


def _check_device(device: Device) -> Device:
    _check_ranges(device, DEVICE_RANGES)
    if not is_identifier(device.uuid) or len(device.profile) > TEXT_MAX:
        raise ValueError("not the name of a card or of a MIG profile")
    return device


def _check_probe(probe: Probe) -> Probe:
    _check_ranges(probe, PROBE_RANGES)
    if len(probe.path) > TEXT_MAX or re.fullmatch(_PROBE_PATH, probe.path) is None:
        raise ValueError("not a path of a request")
    return probe


Devices = Annotated[
    tuple[Annotated[Device, AfterValidator(_check_device)], ...], Field(max_length=DEVICES_MAX)
]


class Join(Message):
    """POST body of `/node/v1/join`: exchanges a one-time token for a node key."""

    protocol: int
    token: Annotated[str, StringConstraints(min_length=16, max_length=200)]
    name: Identifier
    facts: NodeFacts


class Joined(Message):
    """The answer to `Join`: the identity that all later connections present."""

    node_id: Identifier
    key: Annotated[str, StringConstraints(max_length=200)]
    key_life_s: Count | None = None
    """From now on; None if unknown, in which case the agent requests a new one at once."""


class NewKey(Message):
    """The answer to POST `/node/v1/key` with the current key; its first use revokes earlier ones."""

    key: Annotated[str, StringConstraints(max_length=200)]
    life_s: Count


class ContainerReport(Message):
    """A container that exists on the node now."""

    allocation: Identifier
    epoch: Count
    phase: Phase
    port: Port | None = None
    """The port of a notebook's web application, once it is listening."""
    started_at: Millis | None = None
    running_ms: Count | None = None
    """For how long it has been in the phase `running`, by a clock that cannot be set; None before, and if
    that is not known."""
    ready: bool | None = None
    """Whether it has answered its probe; None of a container without one, and of an older agent: it is ready when
    it runs."""
    ready_ms: Count | None = None
    """How long ago it answered, by the same clock; None before, and if that is not known."""
    detail: ShortText = ""
    """Step of a start for the timeline, such as `pulling` or `waiting_for_http`."""
    progress_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    """Progress of the step, if known: an image's layers while pulling."""
    ports: Annotated[dict[Identifier, Port], Field(max_length=PORTS_MAX)] = {}
    """The ports of the node's address that lead to the order's extra ports, by their number."""
    isolation: Isolation | None = None
    """The isolation that is in force between this container and others on its cards, as verified."""
    checkpointed_at: Millis | None = None
    """When the work last reported, by its checkpoint file, that its state is saved."""
    idle_ms: Count | None = None
    """How long ago it was last in use; None if that is not monitored. An age, not a time, because
    the clocks of nodes differ."""
    use_mark: Count = 0
    """A number that changes whenever the container was in use since."""
    used_by: ShortText = ""
    """The kind of its last use: `kernel`, `terminal`, `cards`, `cpu`, `start`."""
    cards: GpuReleaseState = GpuReleaseState.HELD
    cards_words: ShortText = ""
    """Why it keeps its GPUs, or the state of its work after they came back; begins with a code."""
    devices: Devices = ()
    """What it holds; reported only of containers that the last reply has named as unknown."""


class FinishedReport(Message):
    """A container that has ended and is gone from the node; repeated until acknowledged."""

    allocation: Identifier
    epoch: Count
    cause: ExitCause
    exit_code: Annotated[int, Field(ge=-1024, le=1024)] | None = None
    started_at: Millis | None = None
    finished_at: Millis
    ended_ms: Count | None = None
    """How long ago it ended: an age, because clocks of nodes differ. It is by a clock that cannot be set,
    unless the agent did not see the end. None of an older agent."""
    detail: ShortText = ""
    checkpointed_at: Millis | None = None
    """When the work last reported that its state is saved."""


class Tombstone(Message):
    """Proof that the node once had this epoch and has nothing of it left."""

    allocation: Identifier
    epoch: Count


class Heartbeat(Message):
    """The complete state of a node, sent every 5 s and at once on a change."""

    type: Literal["heartbeat"] = "heartbeat"
    protocol: int
    boot_id: Identifier
    """Changes when the host is rebooted: nothing that ran before survives."""
    instance: ShortText = ""
    """Names the agent's state directory: of two agents with one identity each has its own. Empty from
    agents of before."""
    seq: Count
    """Increases by one with each heartbeat of this node, across agent restarts."""
    applied: Annotated[int, Field(ge=-1, le=2**53)] = -1
    """`seq` of the last reply that the agent applied; -1 before the first."""
    sent_at: Millis | None = None
    """When it was sent, by the clock of the times in it; None of an older agent."""
    facts: NodeFacts
    containers: Annotated[tuple[ContainerReport, ...], Field(max_length=4096)] = ()
    finished: Annotated[tuple[FinishedReport, ...], Field(max_length=4096)] = ()
    tombstones: Annotated[tuple[Tombstone, ...], Field(max_length=4096)] = ()
    image_saves: Annotated[tuple[ImageSaveReport, ...], Field(max_length=SAVES_MAX)] = ()
    """Every save that the last reply has named."""


def _check_terms(terms: Terms) -> Terms:
    _check_ranges(terms, TERMS_RANGES)
    return terms


class ArrayTask(Message):
    """Which task of a job array a container is."""

    id: Identifier
    index: Count
    size: Count
    """How many tasks the array has."""


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
    """Run instead of `command` if given; its first line may name the interpreter."""
    env: Annotated[dict[str, str], Field(max_length=128)] = {}
    cpu_milli: Count
    memory_mib: Count
    rank: Annotated[int, Field(ge=0, lt=REPLICAS_MAX)] = 0
    ranks: Annotated[int, Field(ge=1, le=REPLICAS_MAX)] = 1
    master_address: ShortText = ""
    """Address of the node that runs rank 0; empty means this node."""
    app_token: ShortText = ""
    """Secret of a notebook's web application; the gateway adds it to requests."""
    base_path: ShortText = "/"
    """Path under which the gateway serves a notebook's web application."""
    ports: Annotated[tuple[Port, ...], Field(max_length=PORTS_MAX)] = ()
    """Other ports that the work serves: TensorBoard, VS Code; reached through the gateway only."""
    datasets: Annotated[tuple[DatasetMount, ...], Field(max_length=DATASETS_MAX)] = ()
    disk_mib: Count = 0
    """Limit for its folder and writable layer together; 0 leaves it to the node."""
    ranks_here: Annotated[int, Field(ge=1, le=REPLICAS_MAX)] = 1
    """Number of ranks of the same attempt on this node."""
    local_rank: Annotated[int, Field(ge=0, lt=REPLICAS_MAX)] = 0
    hosts: Annotated[tuple[ShortText, ...], Field(max_length=REPLICAS_MAX)] = ()
    """Addresses of the nodes of all ranks, in rank order."""
    restart: Annotated[int, Field(ge=0, le=2**31)] = 0
    """How often this work was started before, for whatever reason."""
    launcher: Literal["plain", "torchrun", "mpi", "ray", "dask"] = "plain"
    framework: Literal["", "accelerate", "deepspeed"] = ""
    """With `torchrun`: whose own launcher starts the processes; an older agent ignores it."""
    cluster_token: ShortText = ""
    """Secret that the ranks of a Ray or Dask cluster share; another one for each attempt."""
    has_secrets: bool = False
    """Whether the agent must fetch secrets (`SecretsRequest`) before it starts the work."""
    has_registry_login: bool = False
    """Whether it must fetch the registry's login (`RegistryLogin`) to pull the image."""
    builds_image: bool = False
    """The script's files become an image: it runs as root of its container, see docs/adr/0058."""
    tenant: ShortText = ""
    """Work of one tenant may share a fault domain: its group, or its pool if that mixes groups."""
    array: ArrayTask | None = None
    home: VolumeMount | None = None
    """The home of the owner; None is work without it."""
    volumes: Annotated[tuple[VolumeMount, ...], Field(max_length=VOLUMES_MAX)] = ()
    inputs: Annotated[tuple[InputMount, ...], Field(max_length=INPUTS_MAX)] = ()
    probe: Annotated[Probe, AfterValidator(_check_probe)] | None = None
    """How the work is asked whether it is ready. None of an older portal: its environments run once they answer
    the status page of Jupyter, and all else is ready when it runs."""


class TimeLimit(Message):
    """How long a container may still run, and how it ends then if the portal is not heard."""

    remaining_s: Count
    """From this reply on; the whole limit while the work has not begun."""
    grace_s: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)] = STOP_GRACE_S
    notice_s: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)] = 0
    signal: NoticeSignal = ""


class DesiredContainer(Message):
    """A container that must exist."""

    allocation: Identifier
    epoch: Count
    devices: Devices = ()
    spec: ContainerSpec
    is_parked: bool = False
    """It runs without its GPUs: it must release those that it has."""
    silence: SilenceTerm = SilenceTerm.REPLACE
    """Fixed for this attempt. A portal that does not name it gives silent work to other nodes."""
    limit: TimeLimit | None = None
    """None is no time limit."""


class Ack(Message):
    """A finished report or tombstone that the server has processed; the node may forget it."""

    allocation: Identifier
    epoch: Count


class StopGrace(Message):
    """How much time a container that is no longer desired has, and how it is notified.

    Its notice file is written at once and the signal sent; after `notice_s` it gets SIGTERM, and
    `seconds` after the notice it is killed.
    """

    allocation: Identifier
    epoch: Count
    seconds: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)]
    notice_s: Annotated[int, Field(ge=0, le=STOP_GRACE_S_MAX)] = 0
    signal: NoticeSignal = ""
    reason: ShortText = ""
    """The code of the reason, such as `preempted` or `time_limit`."""


class UnknownContainer(Message):
    """A container that a portal does not know whose database was restored from a backup."""

    allocation: Identifier
    epoch: Count


class Desired(Message):
    """The answer to the heartbeat with the same `seq`: the full desired state of the node."""

    type: Literal["desired"] = "desired"
    seq: Count
    containers: Annotated[tuple[DesiredContainer, ...], Field(max_length=4096)] = ()
    unknown: Annotated[tuple[UnknownContainer, ...], Field(max_length=4096)] = ()
    """They continue as they are, with their time limits, until the portal adopts them or they end."""
    acks: Annotated[tuple[Ack, ...], Field(max_length=8192)] = ()
    graces: Annotated[tuple[StopGrace, ...], Field(max_length=4096)] = ()
    """For evicted work; everything else that is not desired has the node's default grace period."""
    images: Annotated[tuple[ShortText, ...], Field(max_length=IMAGES_MAX)] = ()
    """Images to keep on the node and to pull in advance: those from which users start."""
    login_hosts: Annotated[tuple[ShortText, ...], Field(max_length=LOGIN_HOSTS_MAX)] = ()
    """Registries other than the platform's whose login (`RegistryLoginRequest`) an image here needs."""
    image_saves: Annotated[tuple[SaveImage, ...], Field(max_length=SAVES_MAX)] = ()
    """Containers to save as images; one that is not named any more is given up and forgotten."""
    retests: Annotated[dict[Identifier, Count], Field(max_length=DEVICES_MAX)] = {}
    """Cards that an operator wants evaluated again, each with the rising number of that order."""
    terms: Annotated[Terms, AfterValidator(_check_terms)] | None = None
    """None means the protocol's defaults."""


class Nudge(Message):
    """Something has changed: send a heartbeat now. A lost one delays the change by at most 5 s."""

    type: Literal["nudge"] = "nudge"


class Refused(Message):
    """The server did not accept the message or the node; `code` says why."""

    type: Literal["refused"] = "refused"
    code: Identifier
    detail: ShortText = ""


class OpenStream(Message):
    """Connect to `/node/v1/streams/<stream>` with the node's key and join it to a container.

    All access works this way, so that a node needs no open port: terminals, SSH sessions, ports.
    """

    type: Literal["open_stream"] = "open_stream"
    stream: Identifier
    allocation: Identifier
    epoch: Count
    kind: Literal["terminal", "port"]
    port: Port | None = None
    """For a `port`: the number inside the container."""
    columns: Annotated[int, Field(ge=1, le=1000)] = 80
    rows: Annotated[int, Field(ge=1, le=1000)] = 24
    command: Annotated[str, StringConstraints(max_length=32768)] = ""
    """The command for the shell of a `terminal`; empty is an interactive shell."""
    has_tty: bool = True
    """Whether a `terminal` has a TTY; without one, standard error is sent separately."""


FromAgent = Annotated[Heartbeat | LogChunk | Telemetry, Field(discriminator="type")]
ToAgent = Annotated[Desired | Nudge | LogAck | Refused | OpenStream, Field(discriminator="type")]
