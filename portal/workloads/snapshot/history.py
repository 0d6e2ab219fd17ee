"""The platform's own past as a file that `python -m scheduler.whatif replay history` reads."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from portal.common.postgresql.column_lists import fill_columns, select_list
from portal.common.work_kinds import KINDS
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS, build_request
from portal.workloads.snapshot.loader import load_site
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    UserId,
    WorkloadId,
)
from scheduler.core.model.snapshot_codec import encode_snapshot, encode_value

FORMAT: Final = "berth-history-3"
_CHUNK: Final = 2000
_MS: Final = 1000


class _EndedRow(NamedTuple):
    """The columns of an ended workload as it was submitted, by their names in the model."""

    id: WorkloadId
    pool: PoolId
    group: GroupId
    owner: UserId
    kind: str
    priority: int
    submitted_at: Millis
    time_limit_s: int | None
    preemptible: bool


_COLUMNS: Final = len(_EndedRow._fields)
_ENDED: Final = fill_columns(
    """
SELECT coalesce(ran.ms, 0), ran.first, {columns}, {request}
FROM workloads_workload work
LEFT JOIN LATERAL (
    SELECT floor(extract(epoch FROM sum(held.finished_at - held.started_at)) * 1000)::bigint AS ms,
        floor(extract(epoch FROM min(held.started_at)) * 1000)::bigint AS first
    FROM workloads_allocation held
    WHERE held.workload_id = work.id AND held.rank = 0 AND held.started_at IS NOT NULL
        AND held.finished_at >= held.started_at
) ran ON true
WHERE work.state IN ('succeeded', 'failed', 'cancelled', 'expired') AND work.submitted_at >= %s
ORDER BY work.submitted_at, work.id
""",
    columns=select_list(Workload, _EndedRow._fields, table="work"),
    request=select_list(Workload, REQUEST_COLUMNS, table="work"),
)


def iter_history(since: datetime) -> Iterator[str]:
    """Yield the site, then every workload that was submitted since and has ended, as JSON lines."""
    site = load_site()
    unused = tuple(replace(row, used=0) for row in site.quotas)
    yield json.dumps({"format": FORMAT, "site": encode_snapshot(replace(site, quotas=unused))})
    with connection.cursor() as cursor:
        cursor.execute(_ENDED, [since])
        while rows := cursor.fetchmany(_CHUNK):
            for ran_ms, started_at, *columns in rows:
                yield json.dumps(
                    {
                        "workload": encode_value(_workload(columns)),
                        "ran_s": max(ran_ms, 0) // _MS,
                        "started_at": started_at,
                    }
                )


def _workload(columns: list[Any]) -> PendingWorkload:
    """Return the workload as it was submitted."""
    row = _EndedRow._make(columns[:_COLUMNS])
    return PendingWorkload(
        id=row.id,
        pool=row.pool,
        group=row.group,
        user=row.owner,
        priority=row.priority,
        submitted_at=row.submitted_at,
        request=build_request(tuple(columns[_COLUMNS:])),
        version=0,
        time_limit_s=row.time_limit_s,
        preemptible=row.preemptible,
        traits=KINDS[row.kind].traits,
    )
