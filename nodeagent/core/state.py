"""What an agent knows, as immutable values: no clock, no I/O, every part serialisable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from nodeagent.core.timing import Timing
from wire.words import Device, ExitCause, GpuReleaseState, Isolation, Phase

SEQ_BLOCK: Final = 1000
"""Sequence numbers are reserved on disk in such blocks, one ahead: no heartbeat waits for it."""


class ContainerKey(NamedTuple):
    """One attempt to run one replica: the identity of a container."""

    allocation: str
    epoch: int


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

    cause: ExitCause
    grace_ms: int
    """Between the polite stop and the end by force."""
    requested_at: int | None = None
    notice: GracePeriod | None = None
    """The warning that goes before; None when there is none."""
    warned_at: int | None = None

    @property
    def sigterm_at(self) -> int | None:
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
    isolation: Isolation | None = None
    stop: PendingStop | None = None
    idle_ms: int | None = None
    """How long ago it was seen in use; None while nobody has looked."""
    use_mark: int = 0
    """Another number than before: it was in use since."""
    used_by: str = ""
    gpu_state: GpuReleaseState = GpuReleaseState.HELD
    gpu_detail: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A container that is gone; reported until the server acknowledges it."""

    key: ContainerKey
    cause: ExitCause
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
    highest_epochs: Mapping[str, int]
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
    grace_periods: Mapping[ContainerKey, GracePeriod] = field(default_factory=dict)
    """For some of what is not desired; the rest has the node's own."""
    highest_epochs: Mapping[str, int] = field(default_factory=dict)
    tombstones: tuple[ContainerKey, ...] = ()
    finished: tuple[Finished, ...] = ()
    lost_cards: Mapping[str, str] = field(default_factory=dict)
    """GpuReleaseState that are gone, by UUID, each with the code of its fault."""
    is_linked: bool = False
    is_dirty: bool = True
    """Something is to be told before the next regular heartbeat."""
    awaited_seq: int | None = None
    """`seq` of the heartbeat in flight."""
    sent: tuple[SentHeartbeat, ...] = ()
    last_sent_at: int | None = None

    @property
    def durable(self) -> DurableState:
        """The part that must survive the agent."""
        return DurableState(self.seq_limit, self.highest_epochs, self.tombstones, self.finished)
