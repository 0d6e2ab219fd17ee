"""Everything that can happen to an agent, as seen by `step`."""

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
    """The link to the portal was lost; no reply will come on it any more."""


@dataclass(frozen=True, slots=True)
class Replied:
    """The portal answered the heartbeat `seq` with the full desired state."""

    seq: int
    desired: tuple[DesiredEntry, ...]
    acks: tuple[ContainerKey, ...] = ()
    grace_periods: Mapping[ContainerKey, GracePeriod] = field(default_factory=dict)
    """How what is evicted is warned and stopped, where it is not the node's own way."""
    terms: Terms | None = None
    """None leaves the times as they are."""


@dataclass(frozen=True, slots=True)
class ReplyRefused:
    """The portal refused the heartbeat in flight: nothing of it counts."""

    last_seq: int = -1
    """The highest `seq` that it has ever answered; above ours when our memory is an old one."""


@dataclass(frozen=True, slots=True)
class Nudged:
    """The portal has news and asks for a heartbeat now."""


@dataclass(frozen=True, slots=True)
class FactsChanged:
    """What the node offers has changed, such as the health of a card."""

    lost_cards: Mapping[str, str] = field(default_factory=dict)
    """All cards that are gone now, by UUID, each with the code of its fault."""


@dataclass(frozen=True, slots=True)
class ContainerFound:
    """The runtime holds a live container that the state may not know."""

    container: Container


@dataclass(frozen=True, slots=True)
class ContainerChanged:
    """A container has come further."""

    key: ContainerKey
    phase: Phase
    port: int | None = None
    started_at: int | None = None
    detail: str = ""
    progress_pct: int | None = None
    """How far the step of a start has come, where that is known."""
    isolation: Isolation | None = None
    """What keeps others off its devices, once that is in force."""


@dataclass(frozen=True, slots=True)
class CheckpointSeen:
    """The work in a container has said that it is saved, at a wall time in milliseconds."""

    key: ContainerKey
    at: int


@dataclass(frozen=True, slots=True)
class ActivitySeen:
    """Somebody has looked whether a container is in use."""

    key: ContainerKey
    idle_ms: int
    """How long ago it was; 0 is now."""
    mark: int
    """Another number than before: it was in use since."""
    source: str


@dataclass(frozen=True, slots=True)
class GpuReleaseChanged:
    """A container has left its cards, or kept them, or has them again."""

    key: ContainerKey
    state: GpuReleaseState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ContainerEnded:
    """A container is gone, or never came to be. The runtime knows the cause."""

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
