"""Changing a job array after its submission: its name, how many tasks run at once, priority of those that wait."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.notifications import invalidate_topics
from portal.quotas.priorities import PRIORITY_NAMES
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.models import JobArray, Workload
from portal.workloads.state import queued_work
from portal.workloads.state.changes import write_array_change
from portal.workloads.submission import admission
from portal.workloads.submission.rule_checks import require_allowed, rules_of_place
from portal.workloads.submission.template_locks import require_unlocked


@transaction.atomic
def change_array(*, actor: Actor, array_id: UUID, changes: Mapping[str, Any]) -> JobArray:
    """Change an array; what is left out stays, and a repetition changes nothing.

    `changes` are those of `JobArrayChangeInput`. A priority is that of the tasks that wait now.

    Raises:
        InvalidError: the priority is above what the actor may give, or a rule or template forbids it.
    """
    seen = selectors.array_visible_to(actor, array_id)
    policies.require(actor, Action.WORKLOAD_SUBMIT, seen.group_id, what="job_array")
    policies.require(
        actor, Action.WORKLOAD_STOP, seen.group_id, owner_id=seen.owner_id, what="job_array"
    )
    waiting = queued_work.lock_tasks(array_id)
    array = JobArray.objects.select_for_update(no_key=True).get(pk=array_id)
    before = {name: getattr(array, name) for name in ("name", "running_max")}
    columns = {
        name: changes[name] for name in before if changes.get(name, before[name]) != before[name]
    }
    if columns:
        write_array_change(array, columns)
    said: dict[str, Any] = dict(columns)
    if "priority" in changes and waiting and _prioritise(actor, array, waiting, changes):
        said["priority"] = changes["priority"]
    if said:
        invalidate_topics([f"user:{array.owner_id}", f"group:{array.group_id}"])
        _audit(actor, array, before, said)
    return array


def _prioritise(
    actor: Actor, array: JobArray, waiting: list[UUID], changes: Mapping[str, Any]
) -> int:
    task = Workload.objects.get(pk=min(waiting))
    if changes["priority"] > task.priority:
        admission.require_priority(actor, array.group_id, changes["priority"])
    asked = {"priority": PRIORITY_NAMES[changes["priority"]]}
    require_allowed(rules_of_place(task.kind, task.group_id, task.pool_id), asked)
    task.priority = changes["priority"]
    require_unlocked(actor, task, ["priority"])
    return queued_work.prioritise_queued(
        waiting, task, priority=task.priority, until=changes.get("priority_until"), actor=actor
    )


def _audit(
    actor: Actor, array: JobArray, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    audit.record_event(
        actor=actor,
        action="job_array.change",
        object_type="job_array",
        object_id=array.pk,
        group_id=array.group_id,
        params={
            "name": array.name,
            "before": {name: before[name] for name in after if name in before},
            "after": dict(after),
        },
    )
