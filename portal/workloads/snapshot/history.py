"""The platform's own past as a file that `python -m scheduler.whatif replay history` reads."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.db import connection

from portal.workloads.request_columns import build_request
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

FORMAT: Final = "berth-history-2"
_CHUNK: Final = 2000
_MS: Final = 1000

_ENDED: Final = """
SELECT work.id::text, work.pool_id::text, work.group_id::text, work.owner_id::text, work.kind,
    work.priority, floor(extract(epoch FROM work.submitted_at) * 1000)::bigint, work.time_limit_s,
    work.preemptible, coalesce(ran.ms, 0), ran.first,
    work.replicas, work.gpus, work.slices, work.cpu_milli, work.memory_mib,
    work.gpu_milli, work.gpu_memory_mib, work.mig_profile
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
"""


def iter_history(since: datetime) -> Iterator[str]:
    """Yield the site, then every workload that was submitted since and has ended, as JSON."""
    site = load_site()
    unused = tuple(replace(row, used=0) for row in site.quotas)
    yield json.dumps({"format": FORMAT, "site": encode_snapshot(replace(site, quotas=unused))})
    with connection.cursor() as cursor:
        cursor.execute(_ENDED, [since])
        while rows := cursor.fetchmany(_CHUNK):
            for row in rows:
                yield json.dumps(
                    {
                        "workload": encode_value(_workload(row)),
                        "ran_s": max(row[9], 0) // _MS,
                        "started_at": row[10],
                    }
                )


def _workload(row: tuple[object, ...]) -> PendingWorkload:
    """Return the workload as it came."""
    pool, group, user, kind = (str(value) for value in row[1:5])
    priority, submitted_at, time_limit_s = (int(str(value)) for value in row[5:8])
    return PendingWorkload(
        id=WorkloadId(str(row[0])),
        pool=PoolId(pool),
        group=GroupId(group),
        user=UserId(user),
        kind=kind,
        priority=priority,
        submitted_at=Millis(submitted_at),
        request=build_request(row[11:]),
        version=0,
        time_limit_s=time_limit_s,
        preemptible=bool(row[8]),
    )
