"""How good learned run times are: each run predicted from what was known when it began.

The past is gone through in the order in which it happened. A run that begins is predicted from those
that had ended by then, and the prediction is compared with how long it took. So the figures need no
column of their own and hold for the rules of today.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection

from portal.workloads.run_times import HISTORY_MAX, TRAIT_COLUMNS
from scheduler.core.reservation.run_times import (
    JobTraits,
    PredictionAccuracy,
    RunTimePredictor,
    measure_accuracy,
)

_ENDED_RUNS: Final = """
SELECT pool_id, started_at, finished_at, {traits}
FROM workloads_workload
WHERE kind = 'training' AND state IN ('succeeded', 'failed') AND started_at IS NOT NULL
ORDER BY id DESC LIMIT %s
""".replace("{traits}", TRAIT_COLUMNS)


@dataclass(frozen=True, slots=True)
class EndedRun:
    """One run that ended by itself."""

    pool: UUID
    traits: JobTraits
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
    """Return how good predictions have been, for pools in which a run has ended (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_ENDED_RUNS, [HISTORY_MAX])
        rows = cursor.fetchall()
    return evaluate_predictions(
        EndedRun(pool, JobTraits(*traits), began, ended) for pool, began, ended, *traits in rows
    )


def evaluate_predictions(runs: Iterable[EndedRun]) -> Mapping[UUID, PoolAccuracy]:
    """Predict every run from those that had ended when it began, and compare; pure."""
    past = sorted(runs, key=lambda run: run.ended)
    predictor, learned = RunTimePredictor(), 0
    pairs: dict[UUID, list[tuple[int, int]]] = defaultdict(list)
    begins: dict[UUID, list[datetime]] = defaultdict(list)
    for run in sorted(past, key=lambda run: run.began):
        while learned < len(past) and past[learned].ended <= run.began:
            predictor.learn(past[learned].traits, _seconds(past[learned]))
            learned += 1
        begins[run.pool].append(run.began)
        if (found := predictor.predict(run.traits)) is not None:
            pairs[run.pool].append((found.seconds, _seconds(run)))
    return {
        pool: PoolAccuracy(len(begun), begun[0], measure_accuracy(pairs[pool]))
        for pool, begun in begins.items()
    }


def _seconds(run: EndedRun) -> int:
    """Return how long a run took, rounded up as it is learned; at least a second."""
    return max(-int(-(run.ended - run.began).total_seconds() // 1), 1)
