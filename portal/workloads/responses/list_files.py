"""Lists of workloads as CSV."""

from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from portal.common.rest.files import csv_text, plain_cell
from portal.quotas.priorities import PRIORITY_NAMES
from portal.workloads.models import Workload

LIST_FILE_ROWS_MAX: Final = 10_000
"""Rows of a list in one file."""
_COLUMNS: Final = {
    "id": "id",
    "kind": "kind",
    "name": "name",
    "state": "state",
    "cause": "cause",
    "owner": "owner__username",
    "group": "group__name",
    "pool": "pool__name",
    "replicas": "replicas",
    "gpus": "gpus",
    "slices": "slices",
    "gpu_milli": "gpu_milli",
    "gpu_memory_mib": "gpu_memory_mib",
    "cpu_milli": "cpu_milli",
    "memory_mib": "memory_mib",
    "priority": "priority",
    "submitted_at": "submitted_at",
    "started_at": "started_at",
    "finished_at": "finished_at",
    "exit_code": "exit_code",
}
"""Columns of the file and where they are read."""


def workloads_csv(rows: "QuerySet[Workload]") -> str:
    """Return the first rows of a list, a line each (one query)."""
    found = rows.prefetch_related(None).values_list(*_COLUMNS.values())[:LIST_FILE_ROWS_MAX]
    return csv_text(list(_COLUMNS), (_line(row) for row in found))


def _line(row: tuple[object, ...]) -> list[object]:
    cells = dict(zip(_COLUMNS, row, strict=True))
    cells["priority"] = PRIORITY_NAMES.get(int(str(cells["priority"])), "normal")
    for name in ("submitted_at", "started_at", "finished_at"):
        at = cells[name]
        cells[name] = at.isoformat() if isinstance(at, datetime) else ""
    return [plain_cell(cell) for cell in cells.values()]
