"""Everything that `step` can order. The runner executes commands in the given order."""

from dataclasses import dataclass

from nodeagent.core.state import (
    Container,
    ContainerKey,
    DesiredEntry,
    DurableState,
    Finished,
    GracePeriod,
)
from nodeagent.core.timing import Lease
from wire.words import Device, ExitCause


@dataclass(frozen=True, slots=True)
class SaveState:
    """Make this durable. A start in the same turn waits for it, a heartbeat does not."""

    durable: DurableState


@dataclass(frozen=True, slots=True)
class SaveLease:
    """Tell the watchdog until when work may run, and how it ends then."""

    lease: Lease


@dataclass(frozen=True, slots=True)
class StartContainer:
    """Bring a container up; its end is told in any case, also when it cannot be started."""

    desired: DesiredEntry


@dataclass(frozen=True, slots=True)
class StopContainer:
    """Stop a container politely, and by force after the grace; repeated until it is gone."""

    key: ContainerKey
    cause: ExitCause
    grace_ms: int


@dataclass(frozen=True, slots=True)
class WarnContainer:
    """Tell the work that it will be stopped, so that it can save itself; ordered once."""

    key: ContainerKey
    grace: GracePeriod


@dataclass(frozen=True, slots=True)
class ReleaseGpus:
    """Take the work of a container off its cards, and let it live on without them."""

    key: ContainerKey
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class ReacquireGpus:
    """Put the work of a container on these cards, which are its own from now on."""

    key: ContainerKey
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class RemoveContainer:
    """Clear away what is left of an ended container: its end is settled."""

    key: ContainerKey


@dataclass(frozen=True, slots=True)
class SendHeartbeat:
    """Tell the portal the whole truth."""

    seq: int
    applied: int
    containers: tuple[Container, ...]
    finished: tuple[Finished, ...]
    tombstones: tuple[ContainerKey, ...]


PlainCommand = (
    SaveState
    | SaveLease
    | StartContainer
    | WarnContainer
    | StopContainer
    | RemoveContainer
    | SendHeartbeat
)
GpuCommand = ReleaseGpus | ReacquireGpus
"""What concerns the cards of a container that lives on."""
Command = PlainCommand | GpuCommand
