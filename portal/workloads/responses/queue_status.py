"""Position, reasons and expected start of queued work, as the last scheduling pass found them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from django.db import connection

from portal.common.clock import from_millis, now, to_millis
from portal.common.postgresql.column_lists import fill_columns
from portal.workloads.start_accuracy import range_from_json
from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import StartRange
from scheduler.core.model.reasons import NOT_ELIGIBLE
from scheduler.core.model.states import WorkloadState
from scheduler.core.reservation.start_accuracy import Spreads, spread_of, stretch

FIRST_REASONS: Final = """
answer AS (
    SELECT queue.pool_id, queue.decided_at, listed.number - 1 AS number,
        listed.answer -> 'reasons' -> 0 ->> 'code' AS code
    FROM workloads_poolqueue queue,
        jsonb_array_elements(queue.answers) WITH ORDINALITY AS listed (answer, number)
), reason AS (
    SELECT queue.pool_id, answer.decided_at, answer.code, found.workload, found.position
    FROM workloads_poolqueue queue
    CROSS JOIN LATERAL unnest(queue.workloads, queue.positions, queue.answer_of)
        AS found (workload, position, answer)
    JOIN answer ON answer.pool_id = queue.pool_id AND answer.number = found.answer
)
"""
"""Parts of a WITH clause: `reason` is the first reason of every workload in a queue."""
_HEAD: Final = """
SELECT found.workload, count(*) OVER ()
FROM workloads_poolqueue queue, unnest(queue.workloads, queue.positions) AS found (workload, position)
WHERE queue.pool_id = %s ORDER BY found.position, found.workload LIMIT %s
"""
_PART: Final = fill_columns(
    """
WITH {first_reasons}
SELECT work.id, count(*) OVER () FROM workloads_workload work JOIN reason
    ON reason.workload = work.id AND reason.pool_id = work.pool_id
        AND reason.decided_at >= work.queued_at
WHERE work.pool_id = %(pool)s AND work.state = 'queued'
    AND (%(code)s::text IS NULL OR reason.code = %(code)s)
    AND (%(group)s::uuid IS NULL OR work.group_id = %(group)s)
ORDER BY reason.position, work.id LIMIT %(most)s
""",
    first_reasons=FIRST_REASONS,
)
_ANSWERS: Final = """
SELECT found.workload, found.position, queue.answers -> found.answer, queue.decided_at,
    queue.pool_id, history.spreads
FROM workloads_poolqueue queue
LEFT JOIN workloads_starthistory history ON history.pool_id = queue.pool_id,
     unnest(queue.workloads, queue.positions, queue.answer_of)
         AS found (workload, position, answer)
WHERE queue.pool_id = ANY(%s) AND found.workload = ANY(%s) AND queue.decided_at >= coalesce((
    SELECT event.at FROM workloads_workloadevent event
    WHERE event.workload_id = found.workload ORDER BY event.id DESC LIMIT 1
), queue.decided_at)
"""
"""An event later than the pass, such as a hold, a release or another pool, takes its answer back."""


class Queued(Protocol):
    """A workload as far as its place in the queue depends on it."""

    @property
    def pk(self) -> UUID:
        """Its id."""

    @property
    def state(self) -> str:
        """Its state."""

    @property
    def pool_id(self) -> UUID:
        """Where it waits."""

    @property
    def queued_at(self) -> datetime:
        """Since when."""


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Why one workload waits."""

    position: int | None
    """1 is the next to start in its pool; None for work that has no place in the queue yet."""
    reasons: tuple[Mapping[str, Any], ...]
    """`{"code", "params"}`, hardest first."""
    expected_start: Mapping[str, Any] | None
    """`StartRangeShape`, with what the past of its pool says; None without an estimate."""


@dataclass(frozen=True, slots=True)
class QueueHead:
    """The head of a pool's queue as the last pass found it."""

    workloads: tuple[UUID, ...]
    """In the order of their positions."""
    total: int


def queue_statuses_for_system(rows: Iterable[Queued]) -> Mapping[UUID, QueueStatus]:
    """Return the status of those of the rows that are queued, in one query.

    What was found before a workload was (again) queued, held, released or changed does not count.
    """
    queued = {row.pk: row for row in rows if row.state == WorkloadState.QUEUED}
    if not queued:
        return {}
    pools = list({row.pool_id for row in queued.values()})
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, [pools, list(queued)])
        found: list[tuple[UUID, int, str, datetime, UUID, str | None]] = cursor.fetchall()
    spreads = {pool: json.loads(known or "{}") for pool, known in {row[4:] for row in found}}
    # Thousands may wait for the same.
    answers = {
        (answer, pool): _answer(json.loads(answer), spreads[pool])
        for answer, pool in {(row[2], row[4]) for row in found}
    }
    return {
        key: _queue_status(position, *answers[answer, pool])
        for key, position, answer, decided_at, pool, _ in found
        if decided_at >= queued[key].queued_at
    }


_Answer = tuple[tuple[Mapping[str, Any], ...], Mapping[str, Any] | None]


def _answer(found: Mapping[str, Any], spreads: Spreads) -> _Answer:
    """Return reasons and expected start of an answer of `PoolQueue`."""
    expected = found["expected"]
    start = None if expected is None else present_start(range_from_json(expected), spreads)
    return tuple(found["reasons"]), start


def _queue_status(
    position: int, reasons: tuple[Mapping[str, Any], ...], start: Mapping[str, Any] | None
) -> QueueStatus:
    has_place = not any(reason["code"] in NOT_ELIGIBLE for reason in reasons)
    return QueueStatus(position if has_place else None, reasons, start)


def present_start(expected: StartRange, spreads: Spreads) -> Mapping[str, Any]:
    """Return the `StartRangeShape` of an expected start, in the range that such ones came true in."""
    at = Millis(to_millis(now()))
    shown = stretch(expected, at, spread_of(expected, at, spreads))
    return {
        "earliest": from_millis(shown.earliest),
        "latest": from_millis(shown.latest),
        "basis": shown.basis,
        "sure_percent": shown.sure_percent,
        "estimates": shown.estimates,
    }


def queue_head_for_system(pool_id: UUID, most: int) -> QueueHead:
    """Return the workloads that are next to start in a pool, in order (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [pool_id, most])
        return _head(cursor.fetchall())


def part_of_queue_for_system(
    pool_id: UUID, most: int, *, reason: str | None, group_id: UUID | None
) -> QueueHead:
    """Return the work that waits for this reason first, or is of this group, in order (one query)."""
    asked: dict[str, Any] = {"pool": pool_id, "most": most, "code": reason, "group": group_id}
    with connection.cursor() as cursor:
        cursor.execute(_PART, asked)
        return _head(cursor.fetchall())


def _head(rows: Sequence[tuple[UUID, int]]) -> QueueHead:
    return QueueHead(tuple(pk for pk, _ in rows), rows[0][1] if rows else 0)
