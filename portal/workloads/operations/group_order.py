"""The order of a group's own waiting work, as its admins set it; other groups keep their places in the queue."""

from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Min

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.tenancy import policies
from portal.workloads import selectors
from portal.workloads.models import Workload
from portal.workloads.state import lifecycle, queued_work
from scheduler.core.model.states import WorkloadState

RANK_MAX: Final = 30_000
"""So far ranks go to both sides of the usual one, 0."""


class GroupPlace(StrEnum):
    """Where work goes among the waiting work of its group, pool and priority."""

    FIRST = "first"
    LAST = "last"
    USUAL = "usual"
    """Where fair share and the pool's order put it."""


@transaction.atomic
def place_in_group(*, actor: Actor, workload_id: UUID, place: GroupPlace) -> Workload:
    """Put waiting work before or behind the other waiting work of its group; of an array, all its tasks.

    Raises:
        DeniedError: the actor does not look after the group.
        ConflictError: it does not wait.
    """
    work = selectors.workload_visible_to(actor, workload_id)
    policies.require(actor, Action.WORKLOAD_ORDER, work.group_id, what="workload")
    if work.array_id is None:
        ids = [lifecycle.lock_workload(work.pk).pk]
    else:
        ids = queued_work.lock_tasks(work.array_id)
    work.refresh_from_db()
    if work.state != WorkloadState.QUEUED:
        raise ConflictError("not_queued", state=work.state)
    waiting = Workload.objects.filter(group=work.group_id, pool=work.pool_id, state=work.state)
    rank = _rank(place, waiting.exclude(pk__in=ids).aggregate(Min("group_rank"), Max("group_rank")))
    if queued_work.rank_queued(ids, work, rank=rank, place=place, actor=actor):
        audit.record_event(
            actor=actor,
            action="workload.order",
            object_type=work.kind,
            object_id=work.pk,
            group_id=work.group_id,
            params={"name": work.name, "place": place.value},
        )
    return work


def _rank(place: GroupPlace, others: dict[str, int | None]) -> int:
    """Return the rank that is before, or behind, those of all others."""
    if place is GroupPlace.USUAL:
        return 0
    if place is GroupPlace.FIRST:
        return max(min(others["group_rank__min"] or 0, 0) - 1, -RANK_MAX)
    return min(max(others["group_rank__max"] or 0, 0) + 1, RANK_MAX)
