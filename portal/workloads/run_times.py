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

from django.conf import settings
from django.db import connection

from scheduler.core.predict import RunTimes, Traits

HISTORY_MAX: Final = 5000
"""Ended jobs that run times are learned from."""

_ENDED: Final = """
SELECT group_id::text, owner_id::text, cards * 1000 + slices + share_milli, replicas, image_id::text,
    command_digest, ceil(extract(epoch FROM finished_at - started_at))::bigint
FROM workloads_workload
WHERE kind = 'training' AND state IN ('succeeded', 'failed') AND started_at IS NOT NULL
ORDER BY id DESC LIMIT %s
"""
Row = tuple[str, str, int, int, str, str]
"""Group, owner, cards of a replica in thousands plus slices or share, replicas, image, command digest."""


def digest_of(spec: Mapping[str, Any]) -> str:
    """Return what makes two runs the same command."""
    told = json.dumps([spec.get("command", []), spec.get("script", "")])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


@dataclass(slots=True)
class Learned:
    """What this process has learned."""

    at: datetime | None = None
    times: RunTimes = field(default_factory=RunTimes)
    _answers: dict[Row, int | None] = field(default_factory=dict)
    _knows_any: bool = False

    def bring_up(self, moment: datetime) -> None:
        """Learn from the past unless that was done a short while ago."""
        age_s = -1 if self.at is None else (moment - self.at).total_seconds()
        if 0 <= age_s < settings.RUN_TIMES_LEARNED_EVERY_S:
            return
        self.at, self.times, self._answers = moment, RunTimes(), {}
        with connection.cursor() as cursor:
            cursor.execute(_ENDED, [HISTORY_MAX])
            rows = cursor.fetchall()
        for row in reversed(rows):
            self.times.learn(traits_of(row[:6]), max(row[6], 1))
        self._knows_any = bool(rows)

    def seconds(self, row: Row) -> int | None:
        """Return how long such work is expected to run; None where nothing is known."""
        if row not in self._answers:
            found = self.times.predict(traits_of(row))
            self._answers[row] = None if found is None else found.seconds
        return self._answers[row]

    def remaining(self, row: Row, *, ran_s: int) -> int | None:
        """Return how long work that has run so long is expected to run in all."""
        found = self.times.predict(traits_of(row), ran_s) if self._knows_any else None
        return None if found is None else found.seconds


def traits_of(row: Row) -> Traits:
    """Return by what work is compared with the past."""
    group, user, cards, replicas, image, command = row
    return Traits(group, user, cards * replicas, image, command)


LEARNED: Final = Learned()
"""Of this process."""
