"""Ending a job array: queued tasks at once, those that hold something one by one."""

import json
from collections.abc import Mapping
from uuid import UUID

from portal.common.actor import Actor
from portal.workloads.models import Workload
from portal.workloads.state import lifecycle, queued_work
from scheduler.core.model.states import WorkloadState


def cancel_tasks(
    array_id: UUID, *, cause: str, params: Mapping[str, int | str], actor: Actor
) -> int:
    """Request that every task of an array that has not ended is cancelled; return how many."""
    locked = queued_work.lock_tasks(array_id)
    if not locked:
        return 0
    head = Workload.objects.defer("spec").get(pk=locked[0])
    cancelled = queued_work.cancel_queued(
        locked, head, cause=cause, params=json.dumps(params), actor=actor
    )
    for key in locked:
        if key not in cancelled:
            lifecycle.request_stop(
                lifecycle.lock_workload(key),
                outcome=WorkloadState.CANCELLED,
                cause=cause,
                params=params,
                actor=actor,
            )
    return len(locked)
