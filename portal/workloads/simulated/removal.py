"""Removes simulated work with all that is kept of it; work that still runs is cancelled first."""

import shutil
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.workloads import gpu_accounting
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.state import lifecycle
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL, WorkloadState

FOLDERS: Final = ("logs", "outputs", "workspaces")
"""Below the storage, each with a folder for each workload."""
_ENDED: Final = [state.value for state in TERMINAL]


def cancel_live(actor: Actor) -> int:
    """Request that all simulated work ends that has not; return how much of it is still there."""
    live = Workload.objects.filter(simulated=True).exclude(state__in=_ENDED)
    for key in list(live.order_by("id").values_list("pk", flat=True)):
        with transaction.atomic():
            workload = lifecycle.lock_workload(key)
            lifecycle.request_stop(
                workload, outcome=WorkloadState.CANCELLED, cause="requested", actor=actor
            )
    held = Allocation.objects.filter(workload__simulated=True, state__in=LIVE_ALLOCATION)
    return live.count() + held.count()


def delete_ended(storage_dir: Path) -> list[UUID]:
    """Delete all simulated work that has ended, with its files; return the keys of its attempts."""
    with transaction.atomic():
        live = Allocation.objects.filter(state__in=LIVE_ALLOCATION).values("workload")
        work = Workload.objects.filter(simulated=True, state__in=_ENDED).exclude(pk__in=live)
        keys = list(work.values_list("pk", flat=True))
        arrays = list(work.exclude(array=None).values_list("array", flat=True).distinct())
        attempts = Allocation.objects.filter(workload__in=keys).values_list("pk", flat=True)
        found = list(attempts)
        Workload.objects.filter(pk__in=keys).delete()
        JobArray.objects.filter(pk__in=arrays, tasks=None).delete()
        gpu_accounting.recount_released()
    for folder in FOLDERS:
        for key in keys:
            shutil.rmtree(storage_dir / folder / str(key), ignore_errors=True)
    return found
