"""What the cluster shows of the portal's jobs, and what is reported of it: pure decisions.

The controller's queue says what is live; how something ended is said by accounting alone, because the queue
forgets it within minutes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from portal.execution.report import AttemptKey, EndedContainer, SeenContainer
from portal.foreign.attempts import JobKey
from portal.foreign.bounds import IN_DOUBT_S
from portal.slurm import words
from portal.slurm.values import AccountedJob, AttemptRecord, ClusterView, JobEnd, QueuedJob
from wire.words import ExitCause, Phase

LOST_S: Final = 3600
"""How long neither controller nor accounting may know a job before it counts as vanished."""
NOT_TAKEN: Final = "NOT_TAKEN"
"""State of what was submitted and is proven not to have arrived."""
UNREACHABLE: Final = "unreachable"
"""Why something waits whose submission was not answered."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What reading the cluster has changed."""

    records: Mapping[JobKey, AttemptRecord]
    """All of them, also what was found there without a record."""
    unrecorded: tuple[JobKey, ...] = ()
    """What is live on the cluster and the database had not recorded: it is older than the cluster."""


def judge(records: Iterable[AttemptRecord], view: ClusterView) -> Judgement:
    """Match what the portal remembers with what the cluster shows."""
    queued: dict[JobKey, list[QueuedJob]] = {}
    for job in sorted(view.queue, key=lambda item: item.id):
        queued.setdefault(job.key, []).append(job)
    found = {item.key: _judge_one(item, queued.get(item.key, []), view) for item in records}
    unrecorded = {
        key: _adopt(live[0], view.at)
        for key, jobs in queued.items()
        if key not in found and (live := [job for job in jobs if job.state in words.LIVE])
    }
    return Judgement({**found, **unrecorded}, tuple(unrecorded))


def _adopt(job: QueuedJob, at: int) -> AttemptRecord:
    found = AttemptRecord(job.key, job.nodes, submitted_at=at, job_id=job.id)
    return _with_queue(found, job)


def _judge_one(
    record: AttemptRecord, jobs: Sequence[QueuedJob], view: ClusterView
) -> AttemptRecord:
    if record.end is not None:
        return record
    own = _own_job(record, jobs)
    if own is not None and own.state in words.LIVE:
        return _with_queue(record, own)
    known = _in_accounting(record, view.accounting or ())
    job_id = record.job_id or (own.id if own else None) or (known.id if known else None)
    record = replace(record, job_id=job_id)
    if known is not None and words.is_end(known):
        return replace(record, end=words.end_of(known, was_stopped=record.stop_at is not None))
    if view.accounting is None:
        return record
    return _without_word(record, view.at) if job_id else _in_doubt(record, view.at)


def _own_job(record: AttemptRecord, jobs: Sequence[QueuedJob]) -> QueuedJob | None:
    """Return the record's own job; of several that were taken, the first is the one that runs."""
    if record.job_id is None:
        return jobs[0] if jobs else None
    return next((job for job in jobs if job.id == record.job_id), None)


def _in_accounting(record: AttemptRecord, rows: Iterable[AccountedJob]) -> AccountedJob | None:
    of_key = sorted((row for row in rows if row.key == record.key), key=lambda row: row.id)
    if record.job_id is None:
        return of_key[0] if of_key else None
    return next((row for row in of_key if row.id == record.job_id), None)


def _with_queue(record: AttemptRecord, job: QueuedJob) -> AttemptRecord:
    waits = job.state in words.WAITING
    return replace(
        record,
        job_id=job.id,
        state=job.state,
        reason=words.waiting_reason(job.reason) if waits else "",
        started_at=None if waits else job.started_at,
        missing_since=None,
    )


def _in_doubt(record: AttemptRecord, at: int) -> AttemptRecord:
    """Return what is known of a submission of which nothing is found: it may still arrive."""
    state = NOT_TAKEN if at - record.submitted_at >= IN_DOUBT_S else ""
    return replace(record, state=state, reason=UNREACHABLE)


def _without_word(record: AttemptRecord, at: int) -> AttemptRecord:
    """Return what is known of a job whose end accounting has not written yet, or never will."""
    since = at if record.missing_since is None else record.missing_since
    if at - since < LOST_S:
        return replace(record, missing_since=since)
    end = JobEnd(ExitCause.VANISHED.value, None, record.started_at, since)
    return replace(record, missing_since=since, end=end)


# --- Reports -------------------------------------------------------------------------------------


def seen_on(node: str, records: Iterable[AttemptRecord], at: int) -> tuple[SeenContainer, ...]:
    """Return what there is on a node, waits for it, or may: nothing of that has provably ended."""
    return tuple(
        _seen(record, rank, at)
        for record in records
        if record.end is None
        for rank, where in enumerate(record.nodes)
        if where == node
    )


def _seen(record: AttemptRecord, rank: int, at: int) -> SeenContainer:
    name, epoch = record.key.rank(rank)
    phase = phase_of(record)
    works = phase is not Phase.STARTING
    return SeenContainer(
        name,
        epoch,
        phase.value,
        detail="" if works else f"{words.IN_QUEUE}: {record.reason or words.OTHER}",
        started_at=_millis(record.started_at, at) if works else None,
    )


def phase_of(record: AttemptRecord) -> Phase:
    """Return how far a job has come; what only waits is starting, for as long as that takes."""
    if record.state in words.STOPPING or (record.state in words.RUNNING and record.stop_at):
        return Phase.STOPPING
    return Phase.RUNNING if record.state in words.RUNNING else Phase.STARTING


def ended_on(node: str, records: Iterable[AttemptRecord], at: int) -> tuple[EndedContainer, ...]:
    """Return the ends of a node's ranks; those of one job are the same."""
    return tuple(
        EndedContainer(
            *record.key.rank(rank),
            end.cause,
            end.exit_code,
            _millis(end.started_at, at),
            _millis(end.ended_at, at),
            end.detail,
        )
        for record in records
        if (end := record.end) is not None
        for rank, where in enumerate(record.nodes)
        if where == node
    )


def _millis(moment: int | None, at: int) -> int | None:
    """Return a moment in ms; the cluster's clock may be ahead, and nothing lies in the future."""
    return None if moment is None else min(moment, at) * 1000


def is_acknowledged(
    record: AttemptRecord, acks: Iterable[AttemptKey], nodes: Iterable[str]
) -> bool:
    """Return whether the end of every rank was acknowledged; what lies on nodes that are gone is."""
    known, taken = set(nodes), set(acks)
    due = (record.key.rank(rank) for rank, node in enumerate(record.nodes) if node in known)
    return record.end is not None and all(key in taken for key in due)


def is_live(job: QueuedJob) -> bool:
    """Return whether a job may still run, as the controller says."""
    return job.state in words.LIVE
