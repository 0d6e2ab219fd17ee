"""Publishes what a pass found: why each workload waits, and what capacity is free.

The answers for a pool's whole queue are one row, written only when one of them has changed: fifty
thousand workloads that all move up by one cost as little as one.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Final

from django.db import connection, transaction

from portal.common.clock import from_millis, to_millis
from portal.common.notifications import UNKNOWN_SEQ, invalidate_topics
from portal.common.postgresql.arrays import format_array
from portal.workloads.models import SchedulerPass
from portal.workloads.start_accuracy import note_expected_starts
from scheduler.core.model import plan as core
from scheduler.core.model.entities import PendingWorkload, PoolId, WorkloadId
from scheduler.core.model.snapshot import Snapshot

MINUTE_MS: Final = 60_000
LONG_QUEUE: Final = 1000
PAUSE_MS: Final = 250
"""Pause between two publications, for every thousand waiting workloads."""
PAUSE_MAX_MS: Final = 5000
"""However many wait."""
MOVES_MAX: Final = 5
"""Moves of its promised start that are kept of one workload while it waits."""
TOPICS_MAX: Final = 500
"""Topics that one pass invalidates at most; pages of work beyond it follow the pool's topic."""

_READ: Final = """
SELECT pool_id::text, workloads::text[], positions, answer_of, answers FROM workloads_poolqueue
"""
_WRITE: Final = """
INSERT INTO workloads_poolqueue (pool_id, workloads, positions, answer_of, answers, decided_at)
SELECT pool.id, %s::uuid[], %s::int[], %s::int[], %s::jsonb, %s::timestamptz
FROM inventory_pool pool WHERE pool.id = %s FOR KEY SHARE
ON CONFLICT (pool_id) DO UPDATE SET
    (workloads, positions, answer_of, answers, decided_at) = (EXCLUDED.workloads,
        EXCLUDED.positions, EXCLUDED.answer_of, EXCLUDED.answers, EXCLUDED.decided_at)
"""
"""Of a pool that was removed since the snapshot nothing is written."""
_CONFIRM: Final = "UPDATE workloads_poolqueue SET decided_at = %s WHERE pool_id = ANY(%s::uuid[])"


@dataclass(slots=True)
class _PoolAnswers:
    """The answers of one pool, in three columns, and the distinct answers that they name."""

    workloads: list[WorkloadId] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    answer_of: list[int] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """JSON texts."""
    numbers: dict[object, int] = field(default_factory=dict, compare=False)
    """Where the answer with some key stands in `answers`."""

    def add(self, workload: WorkloadId, position: int, key: object, answer: str | None) -> None:
        """Append one workload; `answer` may be None when its key is known."""
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.answers)
            self.answers.append(answer or "")
        self.workloads.append(workload)
        self.positions.append(position)
        self.answer_of.append(number)

    def expecting(self) -> set[WorkloadId]:
        """Return the workloads that have an expected start."""
        without = {
            number
            for number, answer in enumerate(self.answers)
            if json.loads(answer)["expected"] is None
        }
        pairs = zip(self.workloads, self.answer_of, strict=True)
        return {workload for workload, number in pairs if number not in without}

    def by_workload(self) -> dict[WorkloadId, tuple[int, str]]:
        """Return position and answer of each workload."""
        answers = (self.answers[number] for number in self.answer_of)
        return dict(zip(self.workloads, zip(self.positions, answers, strict=True), strict=True))


def is_explanation_due(snapshot: Snapshot) -> bool:
    """Return whether this pass should explain and publish why work waits.

    For a short queue every pass does. In a long one every start changes thousands of answers, and
    publishing takes the longer the longer the queue is: it is done at most once in `PAUSE_MS` per
    thousand workloads, and finally at the latest by the tick of the loop.
    """
    waiting = len(snapshot.pending)
    if waiting <= LONG_QUEUE:
        return True
    pause_ms = min(waiting * PAUSE_MS // LONG_QUEUE, PAUSE_MAX_MS)
    published = SchedulerPass.objects.filter(id=1).values_list("at", flat=True).first()
    return published is None or snapshot.taken_at - to_millis(published) >= pause_ms


@transaction.atomic
def publish_plan(plan: core.Plan, snapshot: Snapshot, *, undecided: Collection[WorkloadId]) -> None:
    """Write what changed and invalidate the pages that show it; refused starts keep their answer."""
    known = _stored()
    found = _found(plan, snapshot)
    for pool, queue in known.items():
        _keep(queue, undecided, found[pool])
    changed = {pool: queue for pool, queue in found.items() if known.get(pool) != queue}
    _store(plan, changed, confirmed=found.keys() - changed.keys())
    SchedulerPass.objects.update_or_create(
        id=1,
        defaults={
            "at": from_millis(plan.made_at),
            "boards": [asdict(board) for board in plan.boards],
            **_reserved(plan, snapshot, undecided),
        },
    )
    if changed:
        _note_expected_starts(plan, changed, known)
        _invalidate(changed, known, {item.id: item for item in snapshot.pending})


@transaction.atomic
def publish_reservations(
    plan: core.Plan, snapshot: Snapshot, *, undecided: Collection[WorkloadId]
) -> None:
    """Write the reserved starts alone, in a pass that explains nothing: the next pass keeps them."""
    kept = _kept(plan, snapshot, undecided)
    if kept != snapshot.published or plan.moved:
        reserved = _reserved(plan, snapshot, undecided)
        SchedulerPass.objects.update_or_create(id=1, defaults=reserved)


def _reserved(
    plan: core.Plan, snapshot: Snapshot, undecided: Collection[WorkloadId]
) -> dict[str, Any]:
    """Return the columns of what is reserved, and of promised starts that moved."""
    waiting = {work.id for work in snapshot.pending} - {start.workload for start in plan.starts}
    before = SchedulerPass.objects.filter(id=1).values_list("moved", flat=True).first() or []
    moved = [{**asdict(each), "at": plan.made_at} for each in plan.moved]
    return {
        "reservations": [asdict(each) for each in _kept(plan, snapshot, undecided)],
        "moved": _newest([*(each for each in before if each["workload"] in waiting), *moved]),
    }


def _kept(
    plan: core.Plan, snapshot: Snapshot, undecided: Collection[WorkloadId]
) -> tuple[core.PlannedReservation, ...]:
    """Return what is reserved; work whose start was refused at its commit keeps what it had."""
    lost = tuple(each for each in snapshot.published if each.workload in undecided)
    return (*lost, *plan.reservations) if lost else plan.reservations


def _newest(moved: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the last few moves of each workload, in their order."""
    left: Counter[str] = Counter()
    found = []
    for each in reversed(moved):
        left[each["workload"]] += 1
        if left[each["workload"]] <= MOVES_MAX:
            found.append(each)
    return found[::-1]


def _stored() -> dict[PoolId, _PoolAnswers]:
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        rows = cursor.fetchall()
    return {
        PoolId(pool): _PoolAnswers(
            workloads, positions, numbers, [_text(a) for a in json.loads(answers)]
        )
        for pool, workloads, positions, numbers, answers in rows
    }


def _found(plan: core.Plan, snapshot: Snapshot) -> dict[PoolId, _PoolAnswers]:
    """Sort the plan's answers by pool; a pool where nothing waits has an empty queue."""
    queues = {pool.id: _PoolAnswers() for pool in snapshot.pools}
    for hold in plan.holds:
        queue = queues[hold.pool]
        reasons = tuple((reason.code, *reason.params.items()) for reason in hold.reasons)
        key = (reasons, _minutes(hold.expected))
        answer = None if key in queue.numbers else _answer(hold)
        queue.add(hold.workload, hold.position, key, answer)
    return queues


def _answer(hold: core.Hold) -> str:
    reasons = [reason.as_json() for reason in hold.reasons]
    expected = None
    if (found := _minutes(hold.expected)) is not None:
        earliest, latest, basis, promised, possible_from = found
        expected = {
            "earliest": earliest * MINUTE_MS,
            "latest": latest * MINUTE_MS,
            "basis": basis,
            "promised": promised,
            "possible_from": possible_from * MINUTE_MS,
        }
    return _text({"reasons": reasons, "expected": expected})


def _minutes(expected: core.StartRange | None) -> tuple[int, int, str, bool, int] | None:
    """Return the range in whole minutes, outwards: an answer must not change with every second."""
    if expected is None:
        return None
    first, last = expected.earliest // MINUTE_MS, -(-expected.latest // MINUTE_MS)
    possible_from = -(-(expected.possible_from or 0) // MINUTE_MS)
    return first, last, expected.basis.value, expected.is_promised, possible_from


def _text(answer: object) -> str:
    """Return the canonical JSON text of an answer, so that equal answers are equal texts."""
    return json.dumps(answer, sort_keys=True, ensure_ascii=False)


def _keep(known: _PoolAnswers, undecided: Collection[WorkloadId], queue: _PoolAnswers) -> None:
    """Keep the known answers of work whose start was refused at commit."""
    if undecided:
        answers = known.by_workload()
        for workload in sorted(set(undecided) & answers.keys()):
            position, answer = answers[workload]
            queue.add(workload, position, answer, answer)


def _store(
    plan: core.Plan, changed: Mapping[PoolId, _PoolAnswers], confirmed: Collection[PoolId]
) -> None:
    moment = from_millis(plan.made_at)
    with connection.cursor() as cursor:
        for pool, queue in sorted(changed.items()):
            answers = f"[{','.join(queue.answers)}]"
            columns = (queue.workloads, queue.positions, queue.answer_of)
            arrays = [format_array(column) for column in columns]
            cursor.execute(_WRITE, [*arrays, answers, moment, pool])
        cursor.execute(_CONFIRM, [moment, sorted(confirmed)])


def _note_expected_starts(
    plan: core.Plan,
    changed: Mapping[PoolId, _PoolAnswers],
    known: Mapping[PoolId, _PoolAnswers],
) -> None:
    """Remember what is said to work for the first time of when it will start."""
    before = set[WorkloadId]().union(
        *(known[pool].expecting() for pool in changed.keys() & known.keys())
    )
    then = set[WorkloadId]().union(*(queue.expecting() for queue in changed.values()))
    waiting = {workload for queue in changed.values() for workload in queue.workloads}
    said = {
        hold.workload: hold.expected
        for hold in plan.holds
        if hold.expected is not None and hold.workload in then - before
    }
    note_expected_starts(said, sorted((before - then) & waiting), from_millis(plan.made_at))


def _invalidate(
    changed: Mapping[PoolId, _PoolAnswers],
    known: Mapping[PoolId, _PoolAnswers],
    pending: Mapping[WorkloadId, PendingWorkload],
) -> None:
    """Publish the topics of the pages that show one of the changed answers."""
    topics = dict.fromkeys(f"pool:{pool}" for pool in sorted(changed))
    for pool, queue in sorted(changed.items()):
        before = known[pool].by_workload() if pool in known else {}
        topics |= dict.fromkeys(islice(_topics(queue, before, pending), TOPICS_MAX))
    invalidate_topics(islice(topics, TOPICS_MAX), UNKNOWN_SEQ)


def _topics(
    queue: _PoolAnswers,
    before: Mapping[WorkloadId, tuple[int, str]],
    pending: Mapping[WorkloadId, PendingWorkload],
) -> Iterator[str]:
    for workload, answer in queue.by_workload().items():
        if before.get(workload) != answer:
            yield f"user:{pending[workload].user}"
            yield f"workload:{workload}"
