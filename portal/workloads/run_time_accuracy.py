"""Accuracy of learned run times: each past run is predicted from the runs that had ended before it.

The past is replayed in its order: a run that starts is predicted from those that had ended by then,
and the prediction is compared with its actual run time. So the figures need no columns of their own
and hold for the current prediction rules.
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
    """Runs that ended, among the latest `HISTORY_MAX` of all pools."""
    since: datetime | None
    """When the first of them started."""
    accuracy: PredictionAccuracy
    """Of the runs for which there was a prediction when they started."""


NO_RUNS: Final = PoolAccuracy(0, None, measure_accuracy(()))


def accuracy_by_pool_for_system() -> Mapping[UUID, PoolAccuracy]:
    """Return the accuracy of predictions, for pools in which a run has ended (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_ENDED_RUNS, [HISTORY_MAX])
        rows = cursor.fetchall()
    return evaluate_predictions(
        EndedRun(pool, JobTraits(*traits), began, ended) for pool, began, ended, *traits in rows
    )


def evaluate_predictions(runs: Iterable[EndedRun]) -> Mapping[UUID, PoolAccuracy]:
    """Predict every run from those that had ended when it started, and compare; pure."""
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
    """Return the run time in whole seconds, rounded up as it is learned; at least 1."""
    return max(-int(-(run.ended - run.began).total_seconds() // 1), 1)
