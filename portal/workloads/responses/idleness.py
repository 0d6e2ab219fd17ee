"""What the page of a notebook says of its use: since when it is idle, what comes next, its cards."""

import json
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.clock import now
from portal.inventory.policy import read_policy
from portal.workloads import idleness
from portal.workloads.idle import activity
from portal.workloads.models import Idleness, Workload
from scheduler.core.model.states import WorkloadState

RESTART_AFTER_S: Final = 300
"""Cards that have not come back by then may be long in coming: a start elsewhere is offered."""

_ANSWER: Final = """
SELECT found.position, queue.answers -> found.answer -> 'reasons'
FROM workloads_poolqueue queue,
     unnest(queue.workloads, queue.positions, queue.answer_of)
         AS found (workload, position, answer)
WHERE queue.pool_id = %s AND found.workload = %s
"""


def present_idleness(workload: Workload) -> dict[str, Any] | None:
    """Present what is known of the use of a running notebook; None for everything else."""
    if workload.kind != Workload.Kind.ENVIRONMENT or workload.state != WorkloadState.RUNNING:
        return None
    row = Idleness.objects.filter(pk=workload.pk, epoch=workload.epoch).first()
    if row is None:
        return None
    moment = now()
    coming = activity.next_loss_for_system(workload, row)
    is_idle = moment - row.active_at >= idleness.IDLE_AFTER
    rules = read_policy(workload.pool.name, workload.pool.policy)
    is_asked = row.gpu_state == Idleness.GpuState.REQUESTED
    position, reasons = _queue_answer(workload, row.gpu_request) if is_asked else (None, [])
    waited_s = (
        (moment - row.gpu_state_since).total_seconds() if is_asked and row.gpu_state_since else 0
    )
    return {
        "active_at": row.active_at,
        "signal": row.signal,
        "idle_since": row.active_at if is_idle else None,
        "next": coming.loss.value if coming else None,
        "next_at": coming.at if coming else None,
        "is_warned": bool(coming and row.warned_of == coming.loss),
        "keeps_left": max(0, rules.idle_keeps_max - row.keeps),
        "keep_s": rules.idle_keep_s,
        "gpu_state": row.gpu_state,
        "gpus_released_at": row.gpus_released_at,
        "position": position,
        "reasons": reasons,
        "may_restart": waited_s >= RESTART_AFTER_S,
    }


def _queue_answer(workload: Workload, request: UUID | None) -> tuple[int | None, list[Any]]:
    """Return the place in the queue of the request for cards, and what it waits for."""
    with connection.cursor() as cursor:
        cursor.execute(_ANSWER, [workload.pool_id, request])
        found = cursor.fetchone()
    if found is None:
        return None, []
    reasons = found[1] if isinstance(found[1], list) else json.loads(found[1])
    return found[0], reasons
