"""Run times learned from what has ended: a hint for order, backfill and expected starts.

Each process learns anew every few minutes from the latest ends; a wrong answer costs a worse
order, never a promise.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import connection

from portal.common.site_config import get_site_config
from scheduler.core.reservation.run_times import JobTraits, RunTimePredictor

HISTORY_MAX: Final = 5000
"""Ended jobs that run times are learned from."""

_ENDED: Final = """
SELECT group_id::text, owner_id::text, gpus * 1000 + slices + gpu_milli, replicas, image_id::text,
    command_digest, ceil(extract(epoch FROM finished_at - started_at))::bigint
FROM workloads_workload
WHERE kind = 'training' AND state IN ('succeeded', 'failed') AND started_at IS NOT NULL
ORDER BY id DESC LIMIT %s
"""
TraitColumns = tuple[str, str, int, int, str, str]
"""Group, owner, cards of a replica in thousands plus slices or share, replicas, image, command digest."""


def digest_command(spec: Mapping[str, Any]) -> str:
    """Return what makes two runs the same command."""
    told = json.dumps([spec.get("command", []), spec.get("script", "")])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


@dataclass(slots=True)
class LearnedRunTimes:
    """What this process has learned."""

    learned_at: datetime | None = None
    predictor: RunTimePredictor = field(default_factory=RunTimePredictor)
    _answers: dict[TraitColumns, int | None] = field(default_factory=dict)
    _knows_any: bool = False

    def refresh(self, moment: datetime) -> None:
        """Learn from the past unless that was done a short while ago."""
        age_s = -1 if self.learned_at is None else (moment - self.learned_at).total_seconds()
        if 0 <= age_s < get_site_config().run_times_learned_every_s:
            return
        self.learned_at, self.predictor, self._answers = moment, RunTimePredictor(), {}
        with connection.cursor() as cursor:
            cursor.execute(_ENDED, [HISTORY_MAX])
            rows = cursor.fetchall()
        for row in reversed(rows):
            self.predictor.learn(build_traits(row[:6]), max(row[6], 1))
        self._knows_any = bool(rows)

    def predict_s(self, row: TraitColumns) -> int | None:
        """Return how long such work is expected to run; None where nothing is known."""
        if row not in self._answers:
            found = self.predictor.predict(build_traits(row))
            self._answers[row] = None if found is None else found.seconds
        return self._answers[row]

    def predict_total_s(self, row: TraitColumns, *, ran_s: int) -> int | None:
        """Return how long work that has run so long is expected to run in all."""
        found = self.predictor.predict(build_traits(row), ran_s) if self._knows_any else None
        return None if found is None else found.seconds


def build_traits(row: TraitColumns) -> JobTraits:
    """Return by what work is compared with the past."""
    group, user, cards, replicas, image, command = row
    return JobTraits(group, user, cards * replicas, image, command)


LEARNED: Final = LearnedRunTimes()
"""Of this process."""
