"""The platform's own past as a file, and its simulation.

`manage.py dump_history` writes JSON lines:

    {"format": "berth-history-3", "site": {…}}                 nodes, cards, pools, groups, quotas
    {"workload": {…}, "ran_s": 7200, "started_at": 1700000000000}     one for each workload that ended

`site` is a snapshot and `workload` a pending workload in the form of `scheduler.core.model.snapshot_codec`.
`ran_s` is how long it ran in all, `started_at` when it first began, null if it never did. Whatever
ran or waited when the lines were written is not in them.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from scheduler.core.model.entities import Millis, PendingWorkload
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.snapshot_codec import decode_snapshot, decode_value
from scheduler.whatif.engine import Job, SimulationEngine
from scheduler.whatif.metrics import SimulationOutcome

FORMAT: Final = "berth-history-3"


@dataclass(frozen=True, slots=True)
class PastWorkload:
    """One workload as it was."""

    workload: PendingWorkload
    ran_s: int
    started_at: Millis | None = None

    @property
    def wait_s(self) -> float | None:
        """How long it really waited; None if it never started."""
        if self.started_at is None:
            return None
        return (self.started_at - self.workload.submitted_at) / 1000


def read_past(lines: Iterable[str]) -> tuple[Snapshot, tuple[PastWorkload, ...]]:
    """Read the site and its past.

    Raises:
        ValueError: these are not such lines; the bad one is named by its number.
    """
    site: Snapshot | None = None
    past: list[PastWorkload] = []
    for number, line in enumerate(lines, start=1):
        try:
            form = json.loads(line)
            if site is None:
                site = _site(form)
            else:
                past.append(decode_value(PastWorkload, form))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"line {number}: {error}") from error
    if site is None:
        raise ValueError("there is no history")
    return site, tuple(past)


def _site(form: object) -> Snapshot:
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise ValueError(f"this is not a history of format {FORMAT}")
    site = decode_snapshot(form["site"])
    return replace(site, running=(), pending=(), usage=())


def jobs_of(past: Iterable[PastWorkload]) -> Iterator[Job]:
    """Yield the demand: everything that ran, for as long as it did."""
    for item in past:
        if item.ran_s > 0:
            yield Job(replace(item.workload, held=()), item.ran_s * 1000)


def replay_past(
    site: Snapshot, past: Iterable[PastWorkload], *, progress: bool = False
) -> SimulationOutcome:
    """Play the past on the site; work that never fits there stays waiting."""
    return SimulationEngine(site, progress=progress, complete=False).run(jobs_of(past))
