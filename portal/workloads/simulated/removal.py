"""Removes simulated work with all that is kept of it; work that still runs is cancelled first."""

import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.common.actor import Actor
from portal.workloads import gpu_accounting
from portal.workloads.dependencies import delete_dependencies, is_depended_on
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.state import lifecycle
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL, WorkloadState

FOLDERS: Final = ("logs", "outputs", "workspaces")
"""Below the storage, each with a folder for each workload."""
OLD_MAX: Final = 200
"""Deleted in one turn."""
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
        keys, attempts = _delete(_ended_work())
        gpu_accounting.recount_released()
    _delete_folders(storage_dir, keys)
    return attempts


def delete_old(storage_dir: Path, *, submitted_after: datetime, ended_before: datetime) -> int:
    """Delete some of the simulated work that was submitted and has ended between two moments.

    What it has used stays counted. Return how much was deleted; the rest is for the next time.
    """
    with transaction.atomic():
        old = _ended_work().filter(submitted_at__gt=submitted_after, finished_at__lt=ended_before)
        some = old.order_by("finished_at", "pk").values_list("pk", flat=True)[:OLD_MAX]
        keys, _ = _delete(Workload.objects.filter(pk__in=list(some)))
    _delete_folders(storage_dir, keys)
    return len(keys)


def _ended_work() -> QuerySet[Workload]:
    """Return simulated work that has ended and for which no other work waits that is not simulated."""
    live = Allocation.objects.filter(state__in=LIVE_ALLOCATION).values("workload")
    ended = Workload.objects.filter(simulated=True, state__in=_ENDED)
    return ended.exclude(pk__in=live).exclude(is_depended_on())


def _delete(work: QuerySet[Workload]) -> tuple[list[UUID], list[UUID]]:
    """Delete this work with arrays of which nothing is left; return its keys, and those of its attempts."""
    keys = list(work.values_list("pk", flat=True))
    arrays = list(work.exclude(array=None).values_list("array", flat=True).distinct())
    attempts = list(Allocation.objects.filter(workload__in=keys).values_list("pk", flat=True))
    delete_dependencies(keys, [])
    Workload.objects.filter(pk__in=keys).delete()
    emptied = JobArray.objects.filter(pk__in=arrays, tasks=None)
    delete_dependencies([], list(emptied.values_list("pk", flat=True)))
    emptied.delete()
    return keys, attempts


def _delete_folders(storage_dir: Path, keys: Iterable[UUID]) -> None:
    for folder in FOLDERS:
        for key in keys:
            shutil.rmtree(storage_dir / folder / str(key), ignore_errors=True)
