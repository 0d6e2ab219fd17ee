"""Retention of folders of ended work, where the portal and the nodes share the storage.

What may be removed is read from the folders and the rows each time, so that a missed run changes
nothing. A folder without a row is left alone: it may belong to another installation.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from django.db.models import Q

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.workloads.models import Allocation, Workload
from portal.workloads.uses import needed_for_system
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL

BATCH_SIZE: Final = 500
FOLDERS_MAX: Final = 200
"""Removed in one run, so that it stays within its time; the next run continues."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RetainedFolder:
    """One kind of folder below the storage, and how long it is kept after its work has ended."""

    name: str
    kept: timedelta


def remove_expired_folders(storage_dir: Path, kinds: Sequence[RetainedFolder]) -> int:
    """Remove the folders of work that ended long enough ago; return how many."""
    removed = 0
    for kind in kinds:
        for work in _ended(storage_dir / kind.name, kind.kept):
            if removed == FOLDERS_MAX:
                return removed
            removed += _remove(storage_dir, kind, work)
    return removed


def _ended(folder: Path, kept: timedelta) -> Iterator[Workload]:
    """Yield the workloads whose folder may be removed: ended or deleted, without a live allocation, not needed.

    Work that depends on a job reads what that job has left.
    """
    ended = [state.value for state in TERMINAL]
    found = _ids(folder)
    while ids := list(islice(found, BATCH_SIZE)):
        rows = Workload.objects.filter(
            Q(finished_at__lt=now() - kept) | Q(removed_at__isnull=False),
            pk__in=ids,
            state__in=ended,
        )
        rows = rows.exclude(
            pk__in=Allocation.objects.filter(state__in=LIVE_ALLOCATION).values("workload")
        )
        needed = needed_for_system(ids)
        for work in rows.order_by("finished_at", "pk"):
            if work.pk not in needed:
                yield work


def _ids(folder: Path) -> Iterator[UUID]:
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        try:
            yield UUID(entry.name)
        except ValueError:
            continue


def _remove(storage_dir: Path, kind: RetainedFolder, work: Workload) -> bool:
    try:
        # Never follows a link, wherever the work may have put one.
        shutil.rmtree(storage_dir / kind.name / str(work.pk))
    except OSError as error:
        logger.warning("storage.not_removed", folder=kind.name, id=str(work.pk), error=str(error))
        return False
    audit.record_event(
        actor=Actor.system("storage"),
        action="storage.remove",
        object_type=work.kind,
        object_id=work.pk,
        group_id=work.group_id,
        params={"name": work.name, "folder": kind.name, "kept_days": kind.kept.days},
    )
    return True
