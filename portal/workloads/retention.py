"""Folders of work that has ended, forgotten in time. Where storage is shared, the portal does it.

What may go is read from the folders and the rows each time, so that nothing is lost or left for ever
when a run is missed. A folder without a row is left alone: it may be another installation's.
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

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.workloads.models import Allocation, Workload
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL

BATCH_SIZE: Final = 500
FOLDERS_MAX: Final = 200
"""Removed in one run, so that it stays within its time; the next one goes on."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RetainedFolder:
    """One kind of folder below the storage, and how long it outlives its work."""

    name: str
    kept: timedelta


def remove_expired_folders(storage_dir: Path, shelves: Sequence[RetainedFolder]) -> int:
    """Remove the folders of work that ended long enough ago; return how many."""
    removed = 0
    for shelf in shelves:
        for work in _ended(storage_dir / shelf.name, shelf.kept):
            if removed == FOLDERS_MAX:
                return removed
            removed += _remove(storage_dir, shelf, work)
    return removed


def _ended(folder: Path, kept: timedelta) -> Iterator[Workload]:
    """Yield the work behind the folders that may go: ended for good, and nothing of it lives."""
    ended = [state.value for state in TERMINAL]
    found = _ids(folder)
    while ids := list(islice(found, BATCH_SIZE)):
        rows = Workload.objects.filter(
            pk__in=ids, state__in=ended, finished_at__lt=now() - kept
        ).exclude(pk__in=Allocation.objects.filter(state__in=LIVE_ALLOCATION).values("workload"))
        yield from rows.order_by("finished_at", "pk")


def _ids(folder: Path) -> Iterator[UUID]:
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir()):
        try:
            yield UUID(entry.name)
        except ValueError:
            continue


def _remove(storage_dir: Path, shelf: RetainedFolder, work: Workload) -> bool:
    try:
        # Never follows a link, wherever the work may have put one.
        shutil.rmtree(storage_dir / shelf.name / str(work.pk))
    except OSError as error:
        logger.warning("storage.not_removed", shelf=shelf.name, id=str(work.pk), error=str(error))
        return False
    audit.record_event(
        actor=Actor.system("storage"),
        action="storage.remove",
        object_type=work.kind,
        object_id=work.pk,
        group_id=work.group_id,
        params={"name": work.name, "folder": shelf.name, "kept_days": shelf.kept.days},
    )
    return True
