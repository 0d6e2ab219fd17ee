"""The agent's state as immutable values: no clock, no I/O, every part serialisable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from nodeagent.core.timing import Deadline, Timing
from wire.words import Device, ExitCause, GpuReleaseState, Isolation, Phase, SilenceTerm

SEQ_BLOCK: Final = 1000
"""Sequence numbers are reserved on disk in such blocks, one ahead: no heartbeat waits for the disk."""


class ContainerKey(NamedTuple):
    """One attempt to run one rank: the identity of a container."""

    allocation: str
    epoch: int


@dataclass(frozen=True, slots=True)
class GracePeriod:
    """How long a container that is not desired any more gets, and how it is warned."""

    total_ms: int
    """Until SIGKILL."""
    notice_ms: int = 0
    """Of these, between the warning and SIGTERM."""
    signal: str = ""
    """The signal that the work has chosen as its warning, such as `SIGUSR1`; empty is the notice
    file alone."""
    reason: str = ""


GIVEN_UP: Final = GracePeriod(0)
"""How a container stops that is no live allocation of the portal's."""


@dataclass(frozen=True, slots=True)
class PendingStop:
    """A stop that was decided; it is requested again until the container is gone."""

    cause: ExitCause
    grace_ms: int
    """Between SIGTERM and SIGKILL."""
    requested_at: int | None = None
    notice: GracePeriod | None = None
    """The warning that precedes it; None when there is none."""
    warned_at: int | None = None
    kill_at: int | None = None
    """When SIGKILL is due; fixed by the first request."""

    @property
    def sigterm_at(self) -> int | None:
        """When SIGTERM is due; None is at once."""
        if self.notice is None or self.warned_at is None:
            return None
        return self.warned_at + self.notice.notice_ms


def stop_by(stop: PendingStop, kill_at: int) -> PendingStop:
    """Return the stop with SIGTERM at once and SIGKILL at `kill_at`, unless that is due earlier."""
    if stop.kill_at is not None and stop.kill_at <= kill_at:
        return stop
    return PendingStop(stop.cause, stop.grace_ms, kill_at=kill_at)


PAUSED_BY_HAND: Final = "paused_by_hand"
"""Detail of a container that an administrator has paused with the engine's own tools."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container that exists on the node now; it holds its devices until it is gone."""

    key: ContainerKey
    devices: tuple[Device, ...]
    phase: Phase
    port: int | None = None
    started_at: int | None = None
    """Wall time in UTC milliseconds; only reported, never compared."""
    running_since: int | None = None
    """Milliseconds since boot when it was seen to run; None before that, and of an adopted one."""
    is_ready: bool | None = None
    """Whether it has answered its probe; None without one: it is ready when it runs."""
    ready_since: int | None = None
    """Milliseconds since boot when it answered; None before that, and of an adopted one."""
    detail: str = ""
    progress_pct: int | None = None
    checkpointed_at: int | None = None
    """Wall time at which the work last wrote its checkpoint file."""
    ports: Mapping[str, int] = field(default_factory=dict)
    isolation: Isolation | None = None
    stop: PendingStop | None = None
    idle_ms: int | None = None
    """How long ago it was last in use; None when it was never checked."""
    use_mark: int = 0
    """Changes whenever it was in use since the last check."""
    used_by: str = ""
    gpu_state: GpuReleaseState = GpuReleaseState.HELD
    gpu_detail: str = ""
    silence: SilenceTerm = SilenceTerm.REPLACE
    """Whether it outlives the lease."""
    deadline: Deadline | None = None

    @property
    def is_in_service(self) -> bool:
        """Whether it runs and is ready, so that its work may have been used."""
        return self.phase is Phase.RUNNING and self.is_ready is not False


@dataclass(frozen=True, slots=True)
class Finished:
    """A container that is gone; reported until the portal acknowledges it."""

    key: ContainerKey
    cause: ExitCause
    finished_at: int
    exit_code: int | None = None
    started_at: int | None = None
    detail: str = ""
    checkpointed_at: int | None = None
    """Wall time at which the work last wrote its checkpoint file: often the last thing it does."""
    ended_at: int | None = None
    """Milliseconds since boot; None if this agent has not seen the end."""


@dataclass(frozen=True, slots=True)
class RunLimit:
    """How long a container may still run, counted from the reply that names it."""

    remaining_ms: int
    grace_ms: int
    notice_ms: int = 0
    signal: str = ""


@dataclass(frozen=True, slots=True)
class DesiredEntry:
    """A container of the desired state. `spec` is opaque here: its JSON text."""

    key: ContainerKey
    devices: tuple[Device, ...]
    spec: str
    is_parked: bool = False
    """It must keep running without its GPUs."""
    silence: SilenceTerm = SilenceTerm.REPLACE
    limit: RunLimit | None = None


@dataclass(frozen=True, slots=True)
class SentHeartbeat:
    """A heartbeat whose reply may still arrive."""

    seq: int
    sent_at: int


@dataclass(frozen=True, slots=True)
class Lease:
    """Until when work may run, as the watchdog reads it."""

    until: int
    """Milliseconds since boot, for containers that do not outlive the lease."""
    grace_ms: int = Timing().fence_grace_ms
    """Between SIGTERM and SIGKILL after its end."""
    deadlines: Mapping[ContainerKey, Deadline] = field(default_factory=dict)
    """The containers that end at a certain time in any case."""


@dataclass(frozen=True, slots=True)
class DurableState:
    """The part of the state that must survive the agent; written before anything is started."""

    seq_limit: int
    """No heartbeat with a higher sequence number was sent before this was written."""
    highest_epochs: Mapping[str, int]
    """Highest epoch ever taken, by allocation."""
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
    """None until a reply was applied, and after the lease has ended: then nothing is started, and
    nothing is stopped for not being desired."""
    unknown: frozenset[ContainerKey] = frozenset()
    """Containers that the last reply leaves alone: the portal does not know them."""
    grace_periods: Mapping[ContainerKey, GracePeriod] = field(default_factory=dict)
    """For some containers that are not desired; the rest gets the node's own grace."""
    highest_epochs: Mapping[str, int] = field(default_factory=dict)
    tombstones: tuple[ContainerKey, ...] = ()
    finished: tuple[Finished, ...] = ()
    lost_cards: Mapping[str, str] = field(default_factory=dict)
    """Cards that are gone, by UUID, each with its fault code."""
    is_linked: bool = False
    is_dirty: bool = True
    """Something must be reported before the next regular heartbeat."""
    awaited_seq: int | None = None
    """`seq` of the heartbeat in flight."""
    sent: tuple[SentHeartbeat, ...] = ()
    last_sent_at: int | None = None

    @property
    def durable(self) -> DurableState:
        """The part that must survive the agent."""
        return DurableState(self.seq_limit, self.highest_epochs, self.tombstones, self.finished)

    @property
    def lease(self) -> Lease:
        """The lease with the deadlines of all containers."""
        deadlines = {
            key: item.deadline for key, item in self.containers.items() if item.deadline is not None
        }
        return Lease(self.lease_until, self.timing.fence_grace_ms, deadlines)
