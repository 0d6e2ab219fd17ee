"""Who may open which container, checked again every few seconds; and its audit events."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from django.db import transaction

from portal.audit import denials
from portal.audit import services as audit
from portal.audit.denials import Denial
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError
from portal.endpoints.selectors import backend_for_system
from portal.endpoints.values import Backend, ContainerAddress
from portal.tenancy import policies
from portal.workloads.idle import activity
from portal.workloads.selectors import workload_visible_to

ACCESS: Final = Actor.system("access")
AccessMethod = Literal["terminal", "ssh", "port"]


@dataclass(frozen=True, slots=True)
class AccessTarget:
    """One running container and the workload it belongs to."""

    kind: str
    name: str
    group_id: UUID
    backend: Backend

    @property
    def workload_id(self) -> UUID:
        """The workload."""
        return self.backend.workload_id

    @property
    def container(self) -> ContainerAddress:
        """The container: of this attempt, on this node."""
        return self.backend.container


def resolve_target(
    actor: Actor, workload_id: UUID, kind: str | None, rank: int = 0
) -> AccessTarget:
    """Return the container that an actor may open at this moment; only its owner may.

    Raises:
        NotFoundError: the actor may not see the workload.
        DeniedError: the actor may see but not open it.
        ConflictError: it is not running.
    """
    workload = workload_visible_to(actor, workload_id, kind)
    opening = Denial(actor, Action.WORKLOAD_OPEN, workload.kind, str(workload.pk))
    with denials.recorded(opening):
        policies.require(
            actor,
            Action.WORKLOAD_OPEN,
            workload.group_id,
            owner_id=workload.owner_id,
            what="workload",
        )
        if actor.user_id is None:
            raise DeniedError("denied", action=Action.WORKLOAD_OPEN)
    backend = backend_for_system(workload, rank)
    if backend is None:
        raise ConflictError("not_running", state=workload.state)
    return AccessTarget(workload.kind, workload.name, workload.group_id, backend)


@transaction.atomic
def record_opened(
    actor: Actor, target: AccessTarget, method: AccessMethod, detail: str = ""
) -> datetime:
    """Record the beginning of a session and return its time; without a record none begins."""
    _record(actor, target, "access.open", {"way": method, "detail": detail[:200]})
    return now()


def record_use(target: AccessTarget) -> None:
    """Record that a person uses the container; only notebooks can be idle."""
    activity.record_use(target.workload_id, "terminal", actor=ACCESS)


@transaction.atomic
def record_closed(
    actor: Actor, target: AccessTarget, method: AccessMethod, began_at: datetime, reason: str
) -> None:
    """Record the end of a session: how long it took, and what ended it."""
    seconds = max(0, int((now() - began_at).total_seconds()))
    _record(actor, target, "access.close", {"way": method, "seconds": seconds, "closed_as": reason})


def _record(actor: Actor, target: AccessTarget, action: str, params: dict[str, object]) -> None:
    backend = target.backend
    audit.record_event(
        actor=actor,
        action=action,
        object_type=target.kind,
        object_id=target.workload_id,
        group_id=target.group_id,
        params={"name": target.name, "rank": backend.rank, "node": backend.node, **params},
    )
