"""Follows a running site: what owners are shown while they wait, and at the end every attempt of all work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from time import time
from typing import Any, Final

import psycopg

from scheduler.core.model.states import WorkloadState
from tests.integration.pipeline import ENDED, AwayError
from tests.promises.site import Site
from tests.promises.story import EVICTIONS, Attempt, Seen, Window

KILLED: Final = frozenset({137, -9})
_WAITING: Final = """
SELECT id, evictions, evicted_for FROM workloads_workload WHERE name LIKE 'promise-%' AND state = 'queued'
"""
_UNREADY: Final = "SELECT EXISTS (SELECT 1 FROM inventory_node WHERE state = 'unready')"
_EVENTS: Final = """
SELECT e.workload_id, e.epoch, e.to_state, e.cause, e.params, extract(epoch FROM e.at)::float8
FROM workloads_workloadevent e JOIN workloads_workload w ON w.id = e.workload_id
WHERE w.name LIKE 'promise-%' ORDER BY e.id
"""
_ATTEMPTS: Final = """
SELECT a.workload_id, a.epoch, w.time_limit_s, extract(epoch FROM min(a.created_at))::float8,
    CASE WHEN bool_and(a.released_at IS NOT NULL)
        THEN extract(epoch FROM max(a.released_at))::float8 END,
    extract(epoch FROM min(a.finished_at) FILTER (WHERE a.exit_code = ANY(%s)))::float8
FROM workloads_allocation a JOIN workloads_workload w ON w.id = a.workload_id
WHERE w.name LIKE 'promise-%%' GROUP BY a.workload_id, a.epoch, w.time_limit_s
"""


@dataclass
class Watch:
    """One observer."""

    site: Site
    beneficiaries: dict[tuple[str, int], str] = field(default_factory=dict)
    """For whom work was stopped, by its name and how often it had been until then."""
    promised: set[str] = field(default_factory=set)
    looked_at: float = 0.0

    def look(self, database: psycopg.Connection[Any]) -> None:
        """Note what is shown now: of what waits and may have been promised a start; and nodes that are silent."""
        self._note_silence(database)
        waiting = database.execute(_WAITING).fetchall()
        for work, evictions, beneficiary in waiting:
            if beneficiary is not None:
                self.beneficiaries[str(work), evictions] = str(beneficiary)
        found = database.execute("SELECT reservations FROM workloads_schedulerpass").fetchone()
        self.promised |= {row["workload"] for row in found[0]} if found else set()
        for work in [str(row[0]) for row in waiting if str(row[0]) in self.promised]:
            self._look_at(work)

    def _note_silence(self, database: psycopg.Connection[Any]) -> None:
        """Note that some node is silent now, since the look before; a machine that is too slow does that."""
        found = database.execute(_UNREADY).fetchone()
        before, self.looked_at = self.looked_at, time()
        if found is None or not found[0]:
            return
        silences = self.site.story.silences
        start = silences.pop().start if silences and silences[-1].end == before else before
        silences.append(Window(start, self.looked_at))

    def _look_at(self, work: str) -> None:
        try:
            shown = self.site.jobs[work].job(work)
        except (AwayError, KeyError):
            return
        if shown["state"] != WorkloadState.QUEUED.value:
            return
        reserved = shown["reservation"]
        moves = tuple(_seconds(each["at"]) for each in shown["moved_starts"])
        starts_at = reserved and _seconds(reserved["starts_at"])
        self.site.story.seen.append(Seen(time(), work, starts_at, moves))

    def read_attempts(self, database: psycopg.Connection[Any]) -> None:
        """Add every attempt of all work to the story."""
        evicted = self._read_evictions(database)
        for work, epoch, limit_s, placed_at, left_at, killed_at in database.execute(
            _ATTEMPTS, [list(KILLED)]
        ).fetchall():
            notice = evicted.get((str(work), epoch), {})
            self.site.story.attempts.append(
                Attempt(str(work), epoch, placed_at, limit_s, left_at, killed_at, **notice)
            )

    def _read_evictions(
        self, database: psycopg.Connection[Any]
    ) -> Mapping[tuple[str, int], dict[str, Any]]:
        found: dict[tuple[str, int], dict[str, Any]] = {}
        counts: dict[str, int] = {}
        for work, epoch, state, cause, params, at in database.execute(_EVENTS).fetchall():
            name = str(work)
            if state in ENDED:
                self.site.story.ended[name] = at
            if state != WorkloadState.QUEUED.value or cause not in EVICTIONS:
                continue
            counts[name] = counts.get(name, 0) + 1
            found[name, epoch] = {
                "evicted_at": at,
                "grace_s": params.get("grace_s", 0),
                "cause": cause,
                "beneficiary": self.beneficiaries.get((name, counts[name])),
            }
        return found


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
