"""What expected starts were worth on this site: the first one of each wait, judged by the real start.

The scheduler notes the first expected start that it publishes for waiting work. Once the work is placed, a
task counts how long that took in parts of what was expected, by pool, basis and length; what was taken
back, changed or cancelled meanwhile is not judged. From the counts of the last weeks follow the ranges
that responses show (`scheduler.core.reservation.start_accuracy`).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from portal.common.clock import now, to_millis
from portal.common.postgresql.arrays import format_array
from portal.workloads.models import ExpectedStart, StartHistory
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import EstimateBasis, StartRange
from scheduler.core.reservation.start_accuracy import (
    JudgedStart,
    Spreads,
    counted_from,
    find_spreads,
    with_judged,
)

JUDGED_MAX: Final = 5_000
"""Expected starts that are judged at once."""
MINUTE_MS: Final = 60_000
_NOTE: Final = """
INSERT INTO workloads_expectedstart (workload_id, counted_from, latest, basis)
SELECT work.id, to_timestamp(given.since / 1000.0), to_timestamp(given.latest / 1000.0), given.basis
FROM unnest(%s::uuid[], %s::bigint[], %s::bigint[], %s::text[]) AS given (id, since, latest, basis)
JOIN workloads_workload work ON work.id = given.id AND work.state = 'queued'
ORDER BY work.id ON CONFLICT (workload_id) DO NOTHING
"""
_DUE: Final = """
SELECT said.workload_id, work.pool_id, said.basis, said.counted_from, said.latest, begun.at
FROM workloads_expectedstart said
JOIN workloads_workload work ON work.id = said.workload_id
LEFT JOIN LATERAL (
    SELECT event.at FROM workloads_workloadevent event
    WHERE event.workload_id = said.workload_id AND event.to_state = 'placing'
        AND event.at >= said.counted_from
    ORDER BY event.id LIMIT 1
) begun ON true
WHERE begun.at IS NOT NULL OR work.state <> 'queued'
ORDER BY said.workload_id LIMIT %s FOR UPDATE OF said
"""


def note_expected_starts(
    said: Mapping[WorkloadId, StartRange], withdrawn: Collection[WorkloadId], at: datetime
) -> None:
    """Remember what is expected of work for the first time, and forget what is expected no more."""
    if withdrawn:
        ExpectedStart.objects.filter(workload__in=list(withdrawn)).delete()
    if not said:
        return
    moment = Millis(to_millis(at))
    since = [counted_from(each, moment) for each in said.values()]
    latest = [-(-each.latest // MINUTE_MS) * MINUTE_MS for each in said.values()]
    bases = [each.basis.value for each in said.values()]
    columns = [format_array(column) for column in (said, since, latest)]
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, [*columns, bases])


def forget_expected_start(workload_id: UUID) -> None:
    """Judge nothing that was said of work before it was changed."""
    ExpectedStart.objects.filter(workload=workload_id).delete()


@transaction.atomic
def judge_expected_starts() -> int:
    """Count what has started since; return how many expected starts were judged."""
    with connection.cursor() as cursor:
        cursor.execute(_DUE, [JUDGED_MAX])
        rows: list[tuple[UUID, UUID, str, datetime, datetime, datetime | None]] = cursor.fetchall()
    if not rows:
        return 0
    found: defaultdict[UUID, list[JudgedStart]] = defaultdict(list)
    for _, pool, basis, since, latest, begun in rows:
        if begun is not None:
            at = to_millis(since)
            waits = to_millis(latest) - at, to_millis(begun) - at
            found[pool].append(JudgedStart(basis, *waits, at))
    for pool in sorted(found):
        StartHistory.objects.get_or_create(pool_id=pool)
        history = StartHistory.objects.select_for_update().get(pool=pool)
        history.counts = with_judged(history.counts, found[pool], to_millis(now()))
        history.spreads = find_spreads(history.counts)
        history.save()
    ExpectedStart.objects.filter(workload__in=[row[0] for row in rows]).delete()
    return sum(map(len, found.values()))


def spreads_for_system(pools: Collection[UUID]) -> Mapping[UUID, Spreads]:
    """Return what is known of each pool, in one query."""
    return dict(StartHistory.objects.filter(pool__in=pools).values_list("pool", "spreads"))


def range_from_json(expected: Mapping[str, Any]) -> StartRange:
    """Return an expected start of `PoolQueue.answers`."""
    return StartRange(
        earliest=expected["earliest"],
        latest=expected["latest"],
        basis=EstimateBasis(expected["basis"]),
        is_promised=expected.get("promised", False),
        possible_from=expected.get("possible_from"),
    )
