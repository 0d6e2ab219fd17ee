"""Run times learned from jobs that have ended: a hint for order, backfill and expected starts.

Each process learns again every few minutes from the latest ends. A wrong prediction makes a worse
order; no promise depends on it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import connection

from portal.common.site_config import get_site_config
from portal.common.work_kinds import kinds_where
from scheduler.core.model.entities import Request
from scheduler.core.reservation.run_times import JobTraits, RunTimePredictor

HISTORY_MAX: Final = 5000
"""Run times are learned from this many of the latest ended jobs."""
TRAIT_COLUMNS: Final = """group_id::text, owner_id::text,
    (gpus * 1000 + slices + gpu_milli) * replicas, image_id::text, command_digest"""
"""The columns of `workloads_workload` that make a `JobTraits`; see `build_traits`."""

_ENDED: Final = """
SELECT ceil(extract(epoch FROM finished_at - started_at))::bigint, {traits}
FROM workloads_workload
WHERE kind = ANY(%s) AND state IN ('succeeded', 'failed') AND started_at IS NOT NULL
ORDER BY id DESC LIMIT %s
""".replace("{traits}", TRAIT_COLUMNS)


def digest_command(spec: Mapping[str, Any]) -> str:
    """Return a digest that is the same for two runs of the same command or script."""
    program = json.dumps([spec.get("command", []), spec.get("script", "")])
    return hashlib.sha256(program.encode()).hexdigest()[:32]


JobColumns = tuple[str, str, Request, str, str]
"""Group, owner, request, image and command digest of a job."""


def build_traits(columns: JobColumns) -> JobTraits:
    """Return what a job is compared with the past by; the size as in `TRAIT_COLUMNS`."""
    group, user, request, image, command_digest = columns
    size = (request.gpus * 1000 + request.slices + request.gpu_milli) * request.replicas
    return JobTraits(group, user, size, image, command_digest)


@dataclass(slots=True)
class LearnedRunTimes:
    """What one process has learned."""

    learned_at: datetime | None = None
    predictor: RunTimePredictor = field(default_factory=RunTimePredictor)
    _answers: dict[JobColumns, int | None] = field(default_factory=dict)
    _knows_any: bool = False

    def refresh(self, moment: datetime) -> None:
        """Learn from the past again, unless that was done a short while ago."""
        age_s = -1 if self.learned_at is None else (moment - self.learned_at).total_seconds()
        if 0 <= age_s < get_site_config().run_times_learned_every_s:
            return
        self.learned_at, self.predictor, self._answers = moment, RunTimePredictor(), {}
        with connection.cursor() as cursor:
            cursor.execute(_ENDED, [kinds_where(lambda terms: terms.runs_to_end), HISTORY_MAX])
            rows = cursor.fetchall()
        for seconds, *traits in reversed(rows):
            self.predictor.learn(JobTraits(*traits), max(seconds, 1))
        self._knows_any = bool(rows)

    def predict_s(self, job: JobColumns) -> int | None:
        """Return how long such a job is expected to run; None where nothing is known."""
        try:
            return self._answers[job]
        except KeyError:
            found = self.predictor.predict(build_traits(job))
            return self._answers.setdefault(job, None if found is None else found.seconds)

    def predict_total_s(self, job: JobColumns, *, ran_s: int) -> int | None:
        """Return how long a job that has run so long is expected to run in all."""
        if not self._knows_any:
            return None
        found = self.predictor.predict(build_traits(job), ran_s)
        return None if found is None else found.seconds


LEARNED: Final = LearnedRunTimes()
"""Of this process."""
