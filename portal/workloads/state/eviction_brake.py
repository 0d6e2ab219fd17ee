"""The brake: work that is evicted again and again without getting anywhere is held, whatever decides so.

A rule that is wrong would stop such work for ever, each time with a container, a notice and the time of a
GPU. Its owner and the heads of its group are notified, and an alarm notifies the staff; releasing it lets it
start and counts again.
"""

from datetime import datetime, timedelta
from typing import Final

from portal.common.actor import Actor
from portal.common.clock import now
from portal.inventory.policy import read_policy
from portal.notices.inbox import notify_people
from portal.tenancy.selectors import nearest_admins_for_system
from portal.workloads.models import Workload
from portal.workloads.state.queued_work import release_queued
from portal.workloads.state.transitions import record_note
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.states import WorkloadState

FRUITLESS_EVICTIONS_MAX: Final = 3
"""Evictions in a row, without progress before any of them, after which work is held."""
PROGRESS_S: Final = 60
"""A run of this length is progress where its pool protects no run time."""
BRAKED: Final = "held_after_evictions"
_CAUSES: Final = frozenset(cause.value for cause in EvictionCause)


def count_fruitless(workload: Workload, cause: str) -> int:
    """Return how many evictions in a row a locked, placed workload will have met without progress."""
    if cause not in _CAUSES:
        return workload.fruitless_evictions
    return 0 if _has_progressed(workload, now()) else workload.fruitless_evictions + 1


def save_fruitless(workload: Workload, count: int) -> None:
    """Save that number of a locked workload that was just queued again, and hold it if that is too many."""
    if count == workload.fruitless_evictions:
        return
    workload.fruitless_evictions = count
    if count >= FRUITLESS_EVICTIONS_MAX and not workload.held_by:
        workload.held_by = Workload.HeldBy.EVICTIONS.value
        record_note([workload], actor=SWEEP_ACTOR, cause=BRAKED, params={"times": count})
        _tell(workload, count)
    workload.save(update_fields=["fruitless_evictions", "held_by"])


def release_brake(workload: Workload, *, actor: Actor) -> None:
    """Count again for locked work that got somewhere; if it is held for that, it may start again."""
    if not workload.fruitless_evictions:
        return
    workload.fruitless_evictions = 0
    workload.save(update_fields=["fruitless_evictions"])
    if workload.held_by == Workload.HeldBy.EVICTIONS and workload.state == WorkloadState.QUEUED:
        holds = (Workload.HeldBy.EVICTIONS.value,)
        release_queued([workload.pk], workload, holds=holds, actor=actor)
        workload.held_by, workload.version = "", workload.version + 1


def _has_progressed(workload: Workload, moment: datetime) -> bool:
    """Return whether this attempt has run for long enough, was saved, or has finished a rank."""
    began = workload.started_at if workload.state == WorkloadState.RUNNING else None
    if began is None:
        return False
    policy = read_policy(workload.pool.name, workload.pool.policy)
    enough_s = policy.min_runtime_s or PROGRESS_S
    if policy.turn_s:
        enough_s = min(enough_s, policy.turn_s)
    if moment - began >= timedelta(seconds=enough_s):
        return True
    if workload.checkpointed_at is not None and workload.checkpointed_at >= began:
        return True
    ranks = workload.allocations.filter(epoch=workload.epoch)
    return ranks.filter(exit_cause="exited", exit_code=0).exists()


def _tell(workload: Workload, times: int) -> None:
    heads = nearest_admins_for_system([workload.group_id])[workload.group_id]
    people = {workload.owner_id, *heads}
    notify_people(
        users=sorted(people),
        code="work_braked",
        path=f"/{workload.terms.page}/{workload.pk}",
        params={"id": str(workload.pk), "work": workload.name, "times": times},
    )
