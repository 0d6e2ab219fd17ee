"""Accuracy of learned run times: each past run is predicted from the runs that had ended before it.

The past is replayed in its order: a run that starts is predicted from those that had ended by then,
and the prediction is compared with its actual run time. So the figures need no columns of their own
and hold for the current prediction rules.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Final, NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db import connection

from portal.common.work_kinds import kinds_where
from portal.workloads.run_times import HISTORY_MAX, TRAIT_COLUMNS
from scheduler.core.reservation.run_times import (
    JobTraits,
    PredictionAccuracy,
    RunTimePredictor,
    measure_accuracy,
)

KEPT_FOR: Final = timedelta(minutes=1)
"""How long an answer is kept: thousands of runs are replayed for it, and one more changes it little."""
# Moments are read as integers: psycopg takes longer to make thousands of them than all else takes.
_ENDED_RUNS: Final = """
SELECT pool_id::text, (extract(epoch FROM started_at) * 1000000)::bigint,
    (extract(epoch FROM finished_at) * 1000000)::bigint, {traits}
FROM workloads_workload
WHERE kind = ANY(%s) AND state IN ('succeeded', 'failed') AND started_at IS NOT NULL
ORDER BY id DESC LIMIT %s
""".replace("{traits}", TRAIT_COLUMNS)
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_SECOND: Final = 1_000_000


class EndedRun(NamedTuple):
    """One run that ended by itself, its moments in microseconds since the epoch."""

    pool: str
    began: int
    ended: int
    traits: JobTraits

    @property
    def seconds(self) -> int:
        """Return the run time in whole seconds, rounded up as it is learned; at least 1."""
        return max(-((self.began - self.ended) // _SECOND), 1)


@dataclass(frozen=True, slots=True)
class PoolAccuracy:
    """The predictions of one pool."""

    runs: int
    """Runs that ended, among the latest `HISTORY_MAX` of all pools."""
    since: datetime | None
    """When the first of them started."""
    accuracy: PredictionAccuracy
    """Of the runs for which there was a prediction when they started."""


def accuracy_of_pool_for_system(pool_id: UUID) -> PoolAccuracy:
    """Return the accuracy of the predictions for one pool, a minute old at most."""
    key = f"run_times.accuracy:{pool_id}"
    kept: PoolAccuracy | None = cache.get(key)
    if kept is not None:
        return kept
    found = evaluate_predictions(_fetch_runs(), str(pool_id))
    cache.set(key, found, KEPT_FOR.total_seconds())
    return found


def _fetch_runs() -> list[EndedRun]:
    """Return the latest runs of all pools (one query)."""
    with connection.cursor() as cursor:
        cursor.execute(_ENDED_RUNS, [kinds_where(lambda terms: terms.runs_to_end), HISTORY_MAX])
        rows = cursor.fetchall()
    return [
        EndedRun(pool, began, ended, JobTraits(*traits)) for pool, began, ended, *traits in rows
    ]


def evaluate_predictions(runs: Collection[EndedRun], pool: str) -> PoolAccuracy:
    """Predict every run of a pool from those of all pools that had ended when it started; pure."""
    past = sorted(runs, key=attrgetter("ended"))
    begun = sorted((run for run in past if run.pool == pool), key=attrgetter("began"))
    predictor, learned = RunTimePredictor(), 0
    pairs: list[tuple[int, int]] = []
    for run in begun:
        while learned < len(past) and past[learned].ended <= run.began:
            predictor.learn(past[learned].traits, past[learned].seconds)
            learned += 1
        if (found := predictor.predict(run.traits)) is not None:
            pairs.append((found.seconds, run.seconds))
    since = _EPOCH + timedelta(microseconds=begun[0].began) if begun else None
    return PoolAccuracy(len(begun), since, measure_accuracy(pairs))
