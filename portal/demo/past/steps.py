"""The log of past work, as the life of real work would have written it: legal moves, in order."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from portal.demo.past.demand import STOPPING_S
from portal.demo.past.placer import GRACE_S
from portal.demo.past.plan import (
    HOUR,
    Attempt,
    Ending,
    Lab,
    PastJob,
    PastNotebook,
    Step,
)
from scheduler.core.model.states import WorkloadState

OWNER: Final = "owner"
SCHEDULER: Final = "scheduler"
SWEEP: Final = "sweep"
IDLE_MIN: Final = 60
_W = WorkloadState
_REQUESTED: Final = "requested"


def job_steps(lab: Lab, job: PastJob) -> list[Step]:
    """Return the life of a job."""
    steps = [Step(job.submitted_s, "", _W.QUEUED, 0, "", {}, OWNER)]
    for epoch, attempt in enumerate(job.attempts, start=1):
        steps += _starts(lab, attempt, epoch, _left_at(attempt))
        steps += _job_ends(lab, job, attempt, epoch, steps[-1].target)
    if job.cancelled_s is not None:
        at, epoch = job.cancelled_s, len(job.attempts)
        steps.append(Step(at, _W.QUEUED, _W.CANCELLED, epoch, _REQUESTED, {}, OWNER))
    return steps


def notebook_steps(lab: Lab, notebook: PastNotebook) -> list[Step]:
    """Return the life of a notebook: started and stopped again and again, then deleted."""
    steps: list[Step] = []
    for epoch, (asked, attempt) in enumerate(
        zip_longest(notebook.asked, notebook.attempts), start=1
    ):
        source = steps[-1].target if steps else ""
        steps.append(Step(asked, source, _W.QUEUED, epoch - 1, "", {}, OWNER))
        steps += _starts(lab, attempt, epoch, _left_at(attempt))
        is_idle = attempt.ending is Ending.IDLE
        cause, by = ("idle_too_long", SWEEP) if is_idle else (_REQUESTED, OWNER)
        params: dict[str, int | str] = {"idle_min": IDLE_MIN} if is_idle else {}
        at, running = _left_at(attempt), steps[-1].target
        steps.append(Step(at, running, _W.STOPPING, epoch, cause, params, by))
        node = _node_of(lab, attempt)
        steps.append(Step(attempt.ends_s, _W.STOPPING, _W.SUSPENDED, epoch, cause, params, node))
    ends = notebook.attempts[-1].ends_s
    deleted = min(ends + 20 + notebook.number % 5 * 3 * HOUR, lab.length_s - 1)
    epoch = len(notebook.attempts)
    steps.append(Step(max(deleted, ends), _W.SUSPENDED, _W.CANCELLED, epoch, _REQUESTED, {}, OWNER))
    return steps


def _left_at(attempt: Attempt) -> int:
    """Return when the work left its attempt, which held its cards a little longer."""
    if attempt.ending is Ending.EVICTED:
        return max(attempt.placed_s, attempt.ends_s - GRACE_S)
    if attempt.ending in (Ending.EXPIRED, Ending.CANCELLED, Ending.IDLE, Ending.CLOSED):
        return max(attempt.placed_s, attempt.ends_s - STOPPING_S)
    return attempt.ends_s


def _starts(lab: Lab, attempt: Attempt, epoch: int, until: int) -> Iterator[Step]:
    """Yield the steps until it runs, as far as it came."""
    node, seen = _node_of(lab, attempt), attempt.placed_s + 2
    yield Step(attempt.placed_s, _W.QUEUED, _W.PLACING, epoch, "", {}, SCHEDULER)
    if seen < until:
        yield Step(seen, _W.PLACING, _W.STARTING, epoch, "", {}, node)
    if seen < attempt.runs_s < until:
        yield Step(attempt.runs_s, _W.STARTING, _W.RUNNING, epoch, "", {}, node)


def _job_ends(
    lab: Lab, job: PastJob, attempt: Attempt, epoch: int, source: WorkloadState
) -> Sequence[Step]:
    node, at, cause = _node_of(lab, attempt), attempt.ends_s, attempt.cause
    left = _left_at(attempt)
    code: dict[str, int | str] = {"exit_code": job.fate.exit_code or 0}
    limit: dict[str, int | str] = {"time_limit_s": job.limit_s}
    grace: dict[str, int | str] = {"grace_s": GRACE_S}
    stopped = _W.STOPPING
    ends: dict[Ending, Sequence[Step]] = {
        Ending.SUCCEEDED: [Step(at, source, _W.SUCCEEDED, epoch, "", {}, node)],
        Ending.FAILED: [Step(at, source, _W.FAILED, epoch, cause, code, node)],
        Ending.RETRIED: [Step(at, source, _W.QUEUED, epoch, cause, code, node)],
        Ending.NODE_LOST: [Step(at, source, _W.QUEUED, epoch, cause, {}, SWEEP)],
        Ending.EVICTED: [Step(left, source, _W.QUEUED, epoch, cause, grace, SCHEDULER)],
        Ending.CANCELLED: [
            Step(left, source, stopped, epoch, cause, {}, OWNER),
            Step(at, stopped, _W.CANCELLED, epoch, cause, {}, node),
        ],
        Ending.EXPIRED: [
            Step(left, source, stopped, epoch, cause, limit, SWEEP),
            Step(at, stopped, _W.EXPIRED, epoch, cause, limit, node),
        ],
    }
    return ends[attempt.ending]


def _node_of(lab: Lab, attempt: Attempt) -> str:
    return f"node:{lab.cards[attempt.ranks[0][0].card].node}"
