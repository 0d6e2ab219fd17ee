"""How a service stands, from its row and its replicas; pure."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from portal.serving.rollout import SeenReplica, Stage


class ServiceStatus(StrEnum):
    """How a service stands."""

    STOPPED = "stopped"
    STOPPING = "stopping"
    AT_ZERO = "at_zero"
    """It runs without a replica; a request starts one."""
    STARTING = "starting"
    """No replica is ready yet."""
    READY = "ready"
    UPDATING = "updating"
    """It answers, while replicas of another revision take the place of others."""
    DEGRADED = "degraded"
    """It answers with fewer replicas than are wanted."""
    FAILED = "failed"
    """It answers nothing, because its revision was given up."""


@dataclass(frozen=True, slots=True)
class ReplicaCounts:
    """How many replicas are how far."""

    waiting: int = 0
    starting: int = 0
    ready: int = 0
    draining: int = 0
    """Ready, without new requests."""
    ending: int = 0

    @classmethod
    def of(cls, replicas: Collection[SeenReplica]) -> "ReplicaCounts":
        """Count replicas that have not ended."""
        live = [item for item in replicas if item.draining_since is None]
        draining = [item for item in replicas if item.draining_since is not None]
        return cls(
            waiting=sum(item.stage is Stage.WAITING for item in replicas),
            starting=sum(item.stage is Stage.STARTING for item in replicas),
            ready=sum(item.stage is Stage.READY for item in live),
            draining=sum(item.stage is Stage.READY for item in draining),
            ending=sum(item.stage is Stage.ENDING for item in replicas),
        )


def status_of(
    replicas: Collection[SeenReplica],
    *,
    wanted: int,
    revisions: Collection[int | None],
    is_running: bool,
    has_failed: bool,
) -> ServiceStatus:
    """Return how a service stands.

    Args:
        replicas: those that have not ended.
        wanted: how many are to serve.
        revisions: of which revisions.
        is_running: whether its owner wants it to run.
        has_failed: whether its revision was given up.
    """
    ready = ReplicaCounts.of(replicas).ready
    if not is_running:
        return ServiceStatus.STOPPING if replicas else ServiceStatus.STOPPED
    if ready == 0 and wanted == 0:
        return ServiceStatus.AT_ZERO
    if ready == 0:
        return ServiceStatus.FAILED if has_failed else ServiceStatus.STARTING
    if any(item.revision not in revisions for item in replicas):
        return ServiceStatus.UPDATING
    return ServiceStatus.DEGRADED if ready < wanted else ServiceStatus.READY
