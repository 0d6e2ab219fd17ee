"""The events that `step` handles: everything that can happen to an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nodeagent.core.state import Container, ContainerKey, DesiredEntry, Finished, GracePeriod
from wire.words import GpuReleaseState, Isolation, Phase, Terms


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time has passed; due at `step.next_wake(state)`."""


@dataclass(frozen=True, slots=True)
class LinkUp:
    """The link to the portal was opened."""


@dataclass(frozen=True, slots=True)
class LinkDown:
    """The link to the portal was lost; no reply will arrive on it any more."""


@dataclass(frozen=True, slots=True)
class Replied:
    """The portal answered the heartbeat `seq` with the full desired state."""

    seq: int
    desired: tuple[DesiredEntry, ...]
    acks: tuple[ContainerKey, ...] = ()
    grace_periods: Mapping[ContainerKey, GracePeriod] = field(default_factory=dict)
    """How evicted containers are warned and stopped; all others get the node's own grace."""
    terms: Terms | None = None
    """None leaves the times as they are."""
    unknown: frozenset[ContainerKey] = frozenset()
    """Containers that the portal does not know and leaves as they are."""


@dataclass(frozen=True, slots=True)
class ReplyRefused:
    """The portal refused the heartbeat in flight: nothing of it counts."""

    last_seq: int = -1
    """The highest `seq` that the portal has answered; above ours when our state file is an old
    copy."""


@dataclass(frozen=True, slots=True)
class Nudged:
    """The portal asks for a heartbeat now, because the desired state has changed."""


@dataclass(frozen=True, slots=True)
class FactsChanged:
    """What the node offers has changed, such as the health of a card."""

    lost_cards: Mapping[str, str] = field(default_factory=dict)
    """All cards that are gone now, by UUID, each with its fault code."""


@dataclass(frozen=True, slots=True)
class ContainerFound:
    """The runtime has a live container that may be missing in the state."""

    container: Container


@dataclass(frozen=True, slots=True)
class ContainerChanged:
    """A container has made progress, such as a step of its start."""

    key: ContainerKey
    phase: Phase
    port: int | None = None
    started_at: int | None = None
    detail: str = ""
    progress_pct: int | None = None
    """How far this step of a start has come, where that is known."""
    isolation: Isolation | None = None
    """What isolates its devices from other tenants, once that is in force."""
    is_ready: bool | None = None
    """Whether it has answered its probe; None leaves that as it is."""


@dataclass(frozen=True, slots=True)
class CheckpointSeen:
    """The work in a container has written its checkpoint file, at a wall time in milliseconds."""

    key: ContainerKey
    at: int


@dataclass(frozen=True, slots=True)
class ActivitySeen:
    """A notebook was checked for use."""

    key: ContainerKey
    idle_ms: int
    """How long ago it was last in use; 0 is now."""
    mark: int
    """Changes whenever it was in use since the last event."""
    source: str


@dataclass(frozen=True, slots=True)
class GpuReleaseChanged:
    """A container has released its GPUs, could not release them, or has them again."""

    key: ContainerKey
    state: GpuReleaseState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ContainerEnded:
    """A container is gone, or could not be started. The runtime knows the cause."""

    end: Finished


Event = (
    Ticked
    | LinkUp
    | LinkDown
    | Replied
    | ReplyRefused
    | Nudged
    | FactsChanged
    | ContainerFound
    | ContainerChanged
    | CheckpointSeen
    | ActivitySeen
    | GpuReleaseChanged
    | ContainerEnded
)
