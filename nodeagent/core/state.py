"""What an agent knows, as immutable values: no clock, no I/O, every part serialisable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from nodeagent.core.timing import Timing

SEQ_BLOCK: Final = 1000
"""Sequence numbers are reserved on disk in such blocks, one ahead: no heartbeat waits for it."""


class ContainerKey(NamedTuple):
    """One attempt to run one replica: the identity of a container."""

    allocation: str
    epoch: int


class Phase(StrEnum):
    """How far a container has come."""

    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"


class Cause(StrEnum):
    """Why a container ended."""

    EXITED = "exited"
    STOPPED = "stopped"
    OUT_OF_MEMORY = "out_of_memory"
    KILLED = "killed"
    DISK_FULL = "disk_full"
    GPU_MEMORY_EXCEEDED = "gpu_memory_exceeded"
    START_FAILED = "start_failed"
    IMAGE_UNAVAILABLE = "image_unavailable"
    ISOLATION_UNAVAILABLE = "isolation_unavailable"
    DEVICE_LOST = "device_lost"
    NODE_FAULT = "node_fault"
    NODE_REBOOTED = "node_rebooted"
    LEASE_ENDED = "lease_ended"
    VANISHED = "vanished"


class Cards(StrEnum):
    """Whether a container has its cards; the words of `wire.messages.CardsWord`."""

    HELD = "held"
    LEAVING = "leaving"
    AWAY = "away"
    KEPT = "kept"
    RETURNING = "returning"


@dataclass(frozen=True, slots=True)
class Device:
    """One card (`slices` = 1), one slot of a card that is cut into slices, or a share of one."""

    uuid: str
    slot: int
    slices: int
    memory_mib: int
    ceiling_mib: int | None = None
    compute_milli: int = 0
    isolation: str | None = None
    share_milli: int = 0
    """Above 0 a share of any size; `slot` tells the shares of a card apart."""
    profile: str = ""
    """Hardware partition that covers this slot."""

    @property
    def is_whole(self) -> bool:
        """Tell whether it is the whole card."""
        return self.slices == 1 and not self.share_milli

    @property
    def milli(self) -> int:
        """Return its part of the card in thousandths."""
        return self.share_milli or 1000 // self.slices

    def clashes_with(self, other: "Device") -> bool:
        """Tell whether both cannot be held at once: same slot, or two ways to cut one card."""
        if self.uuid != other.uuid:
            return False
        is_cut = not self.is_whole and not other.is_whole
        is_same_cut = (
            is_cut
            and self.slices == other.slices
            and bool(self.share_milli) == bool(other.share_milli)
        )
        return not is_same_cut or self.slot == other.slot


@dataclass(frozen=True, slots=True)
class GracePeriod:
    """How long a container that is not desired any more may take, and how it is told."""

    total_ms: int
    """Until it is ended by force."""
    notice_ms: int = 0
    """Of these, between the warning and the polite stop."""
    signal: str = ""
    """What the work asked to be warned with, such as `SIGUSR1`; empty is the file alone."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PendingStop:
    """A stop that was decided; it is asked for again until the container is gone."""

    cause: Cause
    grace_ms: int
    """Between the polite stop and the end by force."""
    asked_at: int | None = None
    notice: GracePeriod | None = None
    """The warning that goes before; None when there is none."""
    warned_at: int | None = None

    @property
    def polite_at(self) -> int | None:
        """When the polite stop is due; None at once."""
        if self.notice is None or self.warned_at is None:
            return None
        return self.warned_at + self.notice.notice_ms


PAUSED_BY_HAND: Final = "paused_by_hand"
"""Detail of a container whose processes somebody has frozen past the platform."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container that exists on the node now; it occupies its devices until it is gone."""

    key: ContainerKey
    devices: tuple[Device, ...]
    phase: Phase
    port: int | None = None
    started_at: int | None = None
    """Wall time in UTC milliseconds; only reported, never compared."""
    detail: str = ""
    progress_pct: int | None = None
    checkpointed_at: int | None = None
    """Wall time at which the work last said that it is saved."""
    ports: Mapping[str, int] = field(default_factory=dict)
    isolation: str | None = None
    stop: PendingStop | None = None
    idle_ms: int | None = None
    """How long ago it was seen in use; None while nobody has looked."""
    use_mark: int = 0
    """Another number than before: it was in use since."""
    used_by: str = ""
    cards: Cards = Cards.HELD
    cards_words: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A container that is gone; reported until the server acknowledges it."""

    key: ContainerKey
    cause: Cause
    finished_at: int
    exit_code: int | None = None
    started_at: int | None = None
    detail: str = ""
    checkpointed_at: int | None = None
    """Wall time at which the work last said that it is saved: often its last act."""


@dataclass(frozen=True, slots=True)
class DesiredEntry:
    """A container that the server wants to exist. `spec` is opaque here: its JSON text."""

    key: ContainerKey
    devices: tuple[Device, ...]
    spec: str
    is_parked: bool = False
    """It shall live without its cards."""


@dataclass(frozen=True, slots=True)
class SentHeartbeat:
    """A heartbeat whose reply may still come."""

    seq: int
    sent_at: int


@dataclass(frozen=True, slots=True)
class DurableState:
    """The part of the state that must survive the agent; saved before anything is started."""

    seq_limit: int
    """No heartbeat with a higher sequence number was sent before this was saved."""
    highest: Mapping[str, int]
    """Highest epoch ever taken, per allocation."""
    tombstones: tuple[ContainerKey, ...] = ()
    finished: tuple[Finished, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentState:
    """All that `step` needs to decide. Times are milliseconds since boot."""

    seq: int
    seq_limit: int
    timing: Timing = field(default_factory=Timing)
    applied: int = -1
    lease_until: int = 0
    containers: Mapping[ContainerKey, Container] = field(default_factory=dict)
    desired: tuple[DesiredEntry, ...] | None = None
    """None until a reply was applied, and after the lease has ended: then nothing is started."""
    graces: Mapping[ContainerKey, GracePeriod] = field(default_factory=dict)
    """For some of what is not desired; the rest has the node's own."""
    highest: Mapping[str, int] = field(default_factory=dict)
    tombstones: tuple[ContainerKey, ...] = ()
    finished: tuple[Finished, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    """Cards that are gone, by UUID, each with the code of its fault."""
    is_linked: bool = False
    is_dirty: bool = True
    """Something is to be told before the next regular heartbeat."""
    awaited: int | None = None
    """`seq` of the heartbeat in flight."""
    sent: tuple[SentHeartbeat, ...] = ()
    last_sent_at: int | None = None

    @property
    def durable(self) -> DurableState:
        """The part that must survive the agent."""
        return DurableState(self.seq_limit, self.highest, self.tombstones, self.finished)
