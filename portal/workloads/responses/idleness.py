"""Use of a notebook as its page shows it: since when it is idle, what it loses next, its GPUs."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.clock import now
from portal.common.rest.projection import Extended
from portal.common.work_kinds import IdleRule
from portal.inventory.policy import read_policy
from portal.workloads.idle.activity import next_loss_for_system
from portal.workloads.idle.rules import NextLoss
from portal.workloads.idleness import IDLE_AFTER
from portal.workloads.models import Idleness, Workload
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import WorkloadState

RESTART_AFTER_S: Final = 300
"""GPUs that were not restored by then may take long: a restart elsewhere is offered."""

_QUEUE_ANSWER: Final = """
SELECT found.position, queue.answers -> found.answer -> 'reasons'
FROM workloads_poolqueue queue,
     unnest(queue.workloads, queue.positions, queue.answer_of)
         AS found (workload, position, answer)
WHERE queue.pool_id = %s AND found.workload = %s
"""


@dataclass(frozen=True, slots=True)
class NotebookIdleness:
    """Fields of the use of a notebook that are no columns."""

    row: Idleness
    policy: PoolPolicy
    coming: NextLoss | None
    moment: datetime
    position: int | None
    """Position of its request for GPUs in the queue; None without one."""
    reasons: list[Any]

    @property
    def idle_since(self) -> datetime | None:
        """Since when it has been idle; None while it is not."""
        is_idle = self.moment - self.row.active_at >= IDLE_AFTER
        return self.row.active_at if is_idle else None

    @property
    def next(self) -> str | None:
        """The next step against it: `release` or `stop`."""
        return self.coming.loss.value if self.coming else None

    @property
    def next_at(self) -> datetime | None:
        """When that step is taken."""
        return self.coming.at if self.coming else None

    @property
    def is_warned(self) -> bool:
        """Whether its owner was warned of that step."""
        return bool(self.coming and self.row.warned_of == self.coming.loss)

    @property
    def keeps_left(self) -> int:
        """How often the step can still be postponed."""
        return max(0, self.policy.idle_keeps_max - self.row.keeps)

    @property
    def keep_s(self) -> int:
        """By how many seconds it is postponed each time."""
        return self.policy.idle_keep_s

    @property
    def may_restart(self) -> bool:
        """Return whether it has waited so long for GPUs that a restart elsewhere is offered."""
        since = self.row.gpu_state_since
        if since is None or self.row.gpu_state != Idleness.GpuState.REQUESTED:
            return False
        return (self.moment - since).total_seconds() >= RESTART_AFTER_S


def idle_warnings_for_system(rows: Iterable[Workload]) -> Mapping[UUID, NextLoss]:
    """Return what those of the rows are about to lose whose owners were warned, in one query."""
    running = {row.pk: row for row in rows if _is_watched(row)}
    if not running:
        return {}
    warned = Idleness.objects.filter(pk__in=running).exclude(warned_of="")
    return {
        row.pk: coming
        for row in warned
        if row.epoch == running[row.pk].epoch
        and (coming := next_loss_for_system(running[row.pk], row)) is not None
        and coming.loss == row.warned_of
    }


def _is_watched(row: Workload) -> bool:
    return row.terms.idle_rule is IdleRule.POOL and row.state == WorkloadState.RUNNING


def find_idleness(workload: Workload) -> Extended | None:
    """Return the use of a running notebook; None for any other workload."""
    if not _is_watched(workload):
        return None
    row = Idleness.objects.filter(pk=workload.pk, epoch=workload.epoch).first()
    if row is None:
        return None
    policy = read_policy(workload.pool.name, workload.pool.policy)
    coming = next_loss_for_system(workload, row)
    extra = NotebookIdleness(row, policy, coming, now(), *_queue_answer(workload, row))
    return Extended(row, extra)


def _queue_answer(workload: Workload, row: Idleness) -> tuple[int | None, list[Any]]:
    """Return the position in the queue of the request for GPUs, and why it waits."""
    if row.gpu_state != Idleness.GpuState.REQUESTED:
        return None, []
    with connection.cursor() as cursor:
        cursor.execute(_QUEUE_ANSWER, [workload.pool_id, row.gpu_request])
        found = cursor.fetchone()
    if found is None:
        return None, []
    reasons = found[1] if isinstance(found[1], list) else json.loads(found[1])
    return found[0], reasons
