"""Deleting ended work: nobody finds it any more, and its folders go; what it held stays counted."""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError
from portal.common.notifications import invalidate_topics
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.state import lifecycle
from portal.workloads.uses import needed_for_system
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL


@transaction.atomic
def remove_workload(*, actor: Actor, workload_id: UUID) -> None:
    """Delete one ended workload of any kind that is no task of an array.

    Raises:
        ConflictError: it has not ended, is a task of an array, or other work still needs what it left.
    """
    seen = selectors.workload_visible_to(actor, workload_id)
    _require_control(actor, seen)
    if seen.array_id is not None:
        raise ConflictError("task_of_array")
    workload = lifecycle.lock_workload(workload_id)
    _remove([workload])
    _audit(actor, "workload.remove", workload)


@transaction.atomic
def remove_array(*, actor: Actor, array_id: UUID) -> None:
    """Delete an array of which every task has ended.

    Raises:
        ConflictError: a task has not ended, or other work still needs what one left.
    """
    array = selectors.array_visible_to(actor, array_id)
    _require_control(actor, array)
    tasks = list(array.tasks.select_for_update(no_key=True).defer("spec").order_by("id"))
    _remove(tasks)
    _audit(actor, "job_array.remove", array)


def _remove(works: Collection[Workload]) -> None:
    """Mark locked work as deleted; retention then removes its folders."""
    for work in works:
        if work.state not in TERMINAL:
            raise ConflictError("not_ended", state=work.state)
    ids = [work.pk for work in works]
    if Allocation.objects.filter(workload__in=ids, state__in=LIVE_ALLOCATION).exists():
        raise ConflictError("still_on_node")
    if needed_for_system(ids):
        raise ConflictError("outputs_needed")
    Workload.objects.filter(pk__in=ids).update(removed_at=now())
    first = next(iter(works))
    invalidate_topics(
        [f"user:{first.owner_id}", f"group:{first.group_id}", f"pool:{first.pool_id}"]
    )


def _require_control(actor: Actor, work: Workload | JobArray) -> None:
    what = "workload" if isinstance(work, Workload) else "job_array"
    policies.require(actor, Action.WORKLOAD_STOP, work.group_id, owner_id=work.owner_id, what=what)


def _audit(actor: Actor, action: str, work: Workload | JobArray) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type=work.kind if isinstance(work, Workload) else "job_array",
        object_id=work.pk,
        group_id=work.group_id,
        params={"name": work.name},
    )
