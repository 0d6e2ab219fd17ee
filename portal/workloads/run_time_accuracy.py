"""How good learned run times are: each run judged by what was known when it began.

The past is gone through once more in the order in which it happened: a run that begins is predicted
from those that had ended by then, and judged by how long it took in the end. So the figures need no
column of their own, hold for the rules of today, and cannot know the future.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection

from portal.workloads.run_times import HISTORY_MAX, TraitColumns, build_traits
from scheduler.core.reservation.run_times import (
    PredictionAccuracy,
    RunTimePredictor,
    measure_accuracy,
)

_RUNS: Final = """
SELECT pool_id, group_id::text, owner_id::text, gpus * 1000 + slices, replicas, image_id::text,
    command_digest, started_at, finished_at
FROM workloads_workload
WHERE kind = 'training' AND state IN ('succeeded', 'failed') AND started_at IS NOT NULL
ORDER BY id DESC LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class EndedRun:
    """One run that ended by itself."""

    pool: UUID
    row: TraitColumns
    began: datetime
    ended: datetime


@dataclass(frozen=True, slots=True)
class PoolAccuracy:
    """The predictions of one pool."""

    runs: int
    """That ended, among the latest `HISTORY_MAX` of all pools."""
    since: datetime | None
    """When the first of them began."""
    accuracy: PredictionAccuracy
    """Of those for which anything was known when they began."""


NO_RUNS: Final = PoolAccuracy(0, None, measure_accuracy(()))


def accuracy_by_pool_for_system() -> Mapping[UUID, PoolAccuracy]:
    """Return how good predictions have been, for the pools in which anything has ended (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, [HISTORY_MAX])
        return evaluate_predictions(
            EndedRun(row[0], row[1:7], row[7], row[8]) for row in cursor.fetchall()
        )


def evaluate_predictions(runs: Iterable[EndedRun]) -> Mapping[UUID, PoolAccuracy]:
    """Predict every run from those that had ended when it began, and compare. Pure."""
    past = sorted(runs, key=lambda run: run.ended)
    times, learned = RunTimePredictor(), 0
    pairs: dict[UUID, list[tuple[int, int]]] = defaultdict(list)
    begins: dict[UUID, list[datetime]] = defaultdict(list)
    for run in sorted(past, key=lambda run: run.began):
        while learned < len(past) and past[learned].ended <= run.began:
            times.learn(build_traits(past[learned].row), _seconds(past[learned]))
            learned += 1
        begins[run.pool].append(run.began)
        if (found := times.predict(build_traits(run.row))) is not None:
            pairs[run.pool].append((found.seconds, _seconds(run)))
    return {
        pool: PoolAccuracy(len(begun), begun[0], measure_accuracy(pairs[pool]))
        for pool, begun in begins.items()
    }


def _seconds(run: EndedRun) -> int:
    """Return how long it took, rounded up as it is learned; at least a second."""
    return max(-int(-(run.ended - run.began).total_seconds() // 1), 1)
