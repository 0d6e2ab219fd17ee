"""The commands that `step` can return; the runner executes them in the given order."""

from dataclasses import dataclass

from nodeagent.core.state import (
    Container,
    ContainerKey,
    DesiredEntry,
    DurableState,
    Finished,
    Lease,
    PendingStop,
)
from wire.words import Device, ExitCause


@dataclass(frozen=True, slots=True)
class SaveState:
    """Write this to disk. A start of the same step waits for it, a heartbeat does not."""

    durable: DurableState


@dataclass(frozen=True, slots=True)
class SaveLease:
    """Write until when work may run, and every deadline, for the watchdog."""

    lease: Lease


@dataclass(frozen=True, slots=True)
class StartContainer:
    """Start a container; its end is reported in any case, also when it cannot be started."""

    desired: DesiredEntry


@dataclass(frozen=True, slots=True)
class StopContainer:
    """Send SIGTERM to a container, and SIGKILL after the grace; repeated until it is gone."""

    key: ContainerKey
    cause: ExitCause
    grace_ms: int


@dataclass(frozen=True, slots=True)
class WarnContainer:
    """Notify the work that it will be stopped, so that it can save itself; ordered once."""

    key: ContainerKey
    stop: PendingStop
    """With its notice, and when that begins."""


@dataclass(frozen=True, slots=True)
class ReleaseGpus:
    """Take the work of a running container off its GPUs; the container keeps running."""

    key: ContainerKey
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class ReacquireGpus:
    """Put the work of a running container on these GPUs."""

    key: ContainerKey
    devices: tuple[Device, ...]


@dataclass(frozen=True, slots=True)
class RemoveContainer:
    """Delete what is left of an ended container: the portal has settled its end."""

    key: ContainerKey


@dataclass(frozen=True, slots=True)
class SendHeartbeat:
    """Report the whole state of the node to the portal."""

    seq: int
    applied: int
    containers: tuple[Container, ...]
    finished: tuple[Finished, ...]
    tombstones: tuple[ContainerKey, ...]
    unknown: frozenset[ContainerKey] = frozenset()
    """Containers whose devices the portal does not know."""


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
"""What concerns the GPUs of a container that keeps running."""
Command = PlainCommand | GpuCommand
