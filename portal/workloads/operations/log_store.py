"""Where the logs of work are stored; each node may write the logs of its own allocations only."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.notifications import invalidate_topics
from portal.common.site_config import get_site_config
from portal.execution.logs import GrownLog, GrowthObserver, LogFile, observe_nothing
from portal.workloads.logs import files as log_files
from portal.workloads.logs.marks import append_marks, marks_path
from portal.workloads.models import Allocation, ForgottenContainer
from wire.log_marks import LogMark

_WIRE_NAME: Final = re.compile(r"([0-9a-f]{32})\.([0-9]{1,3})")
_EPOCH_MAX: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _KeptFile:
    """Where the bytes of one file lie, how they are added, and how many are kept."""

    path_of: Callable[[Path, UUID, int, int], Path]
    append: Callable[[Path, int, bytes], int]
    size_max: int


_FILES: Final = {
    LogFile.TEXT: _KeptFile(log_files.log_path, log_files.append_log, log_files.SIZE_MAX),
    LogFile.EXCESS: _KeptFile(log_files.excess_path, log_files.append_excess, log_files.EXCESS_MAX),
    LogFile.EVENTS: _KeptFile(log_files.events_path, log_files.append_events, log_files.EVENTS_MAX),
}


def store_log(node_id: UUID, grown: GrownLog, observe: GrowthObserver = observe_nothing) -> int:
    """Store what is new, and return how much of the file is stored: see `LogStore`."""
    rank = _find_rank(node_id, grown)
    if rank is None:
        return grown.offset + len(grown.data)
    workload, number = rank
    where = (get_site_config().storage_dir, workload, number, grown.epoch)
    kept = _FILES[grown.file]
    path = kept.path_of(*where)
    if not grown.data:
        return log_files.count_had(path, kept.size_max)
    is_text = grown.file is LogFile.TEXT
    if is_text and grown.offset <= log_files.read_log(path, 0, 0).size:
        # Before the bytes, as what is half stored is sent again.
        append_marks(marks_path(*where), _marks_within(grown))
    size = kept.append(path, grown.offset, grown.data)
    if is_text:
        invalidate_topics([f"log:{workload}:{number}"], size)
    observe(workload, number, grown.epoch, grown.data)
    return size


def _marks_within(grown: GrownLog) -> list[LogMark]:
    end = grown.offset + len(grown.data)
    return [mark for mark in grown.marks if grown.offset <= mark.offset < end]


def _find_rank(node_id: UUID, grown: GrownLog) -> tuple[UUID, int] | None:
    """Return the workload and rank of a container that is or was on this node."""
    found = _WIRE_NAME.fullmatch(grown.allocation)
    if found is None or grown.epoch > _EPOCH_MAX:
        return None
    workload, rank = UUID(found[1]), int(found[2])
    what = {"workload": workload, "rank": rank, "epoch": grown.epoch, "node": node_id}
    if Allocation.objects.filter(**what).exists():
        return workload, rank
    # Since a restore of the database its allocation may be unknown, but not its workload.
    return (workload, rank) if ForgottenContainer.objects.filter(**what).exists() else None
