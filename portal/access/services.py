"""Who may enter which container, asked anew every few seconds; and the record of every visit."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError
from portal.tenancy import policies
from portal.workloads import idle
from portal.workloads.models import Workload
from portal.workloads.selectors import one_visible_to
from scheduler.core.states import AllocationState, WorkloadState
from wire.words import Phase

ACCESS: Final = Actor.system("access")
Way = Literal["terminal", "ssh", "port"]


@dataclass(frozen=True, slots=True)
class Target:
    """One running container, and whose it is."""

    workload_id: UUID
    kind: str
    name: str
    group_id: UUID
    rank: int
    node_id: UUID
    node: str
    allocation: str
    """Its name on the wire."""
    epoch: int


def target_for(actor: Actor, workload_id: UUID, kind: str | None, rank: int = 0) -> Target:
    """Return the container that an actor may enter at this moment; only its owner may.

    Raises `NotFoundError` for what the actor may not see, `DeniedError`, and `ConflictError` while
    nothing runs.
    """
    workload = one_visible_to(actor, workload_id, kind)
    policies.require(
        actor,
        Action.WORKLOAD_OPEN,
        workload.group_id,
        owner_id=workload.owner_id,
        what="workload",
    )
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.WORKLOAD_OPEN)
    return _target(workload, rank)


@transaction.atomic
def note_begin(actor: Actor, target: Target, way: Way, detail: str = "") -> datetime:
    """Write down that somebody enters; what cannot be recorded does not happen."""
    _record(actor, target, "access.open", {"way": way, "detail": detail[:200]})
    return now()


def note_use(target: Target) -> None:
    """Note that a person inside a container does something; only notebooks can be idle."""
    idle.used(target.workload_id, "terminal", actor=ACCESS)


@transaction.atomic
def note_end(actor: Actor, target: Target, way: Way, began_at: datetime, reason: str) -> None:
    """Write down that a visit is over: how long it took, and what ended it."""
    seconds = max(0, int((now() - began_at).total_seconds()))
    _record(actor, target, "access.close", {"way": way, "seconds": seconds, "reason": reason})


def _target(workload: Workload, rank: int) -> Target:
    running = workload.allocations.filter(
        rank=rank,
        epoch=workload.epoch,
        state=AllocationState.BOUND,
        phase=Phase.RUNNING.value,
    )
    held = running.select_related("node").first()
    if workload.state != WorkloadState.RUNNING or held is None:
        raise ConflictError("not_running", state=workload.state)
    return Target(
        workload_id=workload.pk,
        kind=workload.kind,
        name=workload.name,
        group_id=workload.group_id,
        rank=rank,
        node_id=held.node_id,
        node=held.node.name,
        allocation=held.wire_name,
        epoch=held.epoch,
    )


def _record(actor: Actor, target: Target, action: str, params: dict[str, object]) -> None:
    audit.record(
        actor=actor,
        action=action,
        object_type=target.kind,
        object_id=target.workload_id,
        group_id=target.group_id,
        params={"name": target.name, "rank": target.rank, "node": target.node, **params},
    )
