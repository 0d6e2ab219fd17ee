"""What is to be submitted, signalled and cancelled, by the replies to all nodes of a pool: pure decisions.

An attempt is submitted once: with a record nothing starts it again unless its submission provably failed,
and none is submitted before every earlier attempt of its work has ended.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from uuid import UUID

from portal.execution.backends import SLURM
from portal.execution.desired import DesiredState, GrantedGrace
from portal.execution.report import AttemptKey
from portal.foreign.attempts import (
    CANNOT,
    JobKey,
    RefuseAttempt,
    WantedAttempt,
    first_lacking,
    gather_graces,
    gather_wanted,
    parse_attempt,
)
from portal.slurm import words
from portal.slurm.judging import NOT_TAKEN
from portal.slurm.values import (
    AttemptRecord,
    Cancel,
    ClusterView,
    Drop,
    Order,
    Signal,
    SubmitJob,
)
from wire.versions import STOP_GRACE_S

SUBMISSIONS_MAX: Final = 200
"""Of one round; the others come with the next."""
SIGTERM: Final = "TERM"


def plan(
    replies: Mapping[str, DesiredState], records: Mapping[JobKey, AttemptRecord], view: ClusterView
) -> tuple[Order, ...]:
    """Return what is to be done, by the replies to the nodes of a pool that were answered."""
    wanted = gather_wanted(replies)
    submissions = tuple(_submissions(wanted, records))[:SUBMISSIONS_MAX]
    return (*_doubles(records, view), *_stops(replies, wanted, records, view.at), *submissions)


def _submissions(
    wanted: Mapping[JobKey, WantedAttempt], records: Mapping[JobKey, AttemptRecord]
) -> Iterator[Order]:
    epochs: dict[UUID, int] = {}
    live: set[UUID] = set()
    for record in records.values():
        workload = record.key.workload
        epochs[workload] = max(record.key.epoch, epochs.get(workload, 0))
        if record.end is None and record.state != NOT_TAKEN:
            live.add(workload)
    for key, found in wanted.items():
        known, highest = records.get(key), epochs.get(key.workload, 0)
        is_free = key.workload not in live
        is_new = known is None and key.epoch > highest
        is_again = known is not None and known.end is None and known.state == NOT_TAKEN
        if is_free and (is_new or (is_again and key.epoch == highest)):
            yield from _submit(key, found)


def _submit(key: JobKey, found: WantedAttempt) -> Iterator[Order]:
    """Yield the submission of an attempt once all its ranks are named."""
    ranks = tuple(found.ranks[rank] for rank in sorted(found.ranks))
    nodes = tuple(found.nodes[rank] for rank in sorted(found.nodes))
    if not found.is_whole:
        return
    if lacking := first_lacking(SLURM, ranks):
        yield RefuseAttempt(key, nodes, f"{CANNOT}{lacking}")
    else:
        yield SubmitJob(key, ranks, nodes)


# --- What is to end ------------------------------------------------------------------------------


def _doubles(records: Mapping[JobKey, AttemptRecord], view: ClusterView) -> Iterator[Order]:
    """Yield an order against each job beside the one that counts, or after its end."""
    for job in view.queue:
        record = records.get(job.key)
        if record is None or job.state not in words.LIVE:
            continue
        if record.end is not None or record.job_id != job.id:
            yield Cancel(job.id)


def _stops(
    replies: Mapping[str, DesiredState],
    wanted: Mapping[JobKey, WantedAttempt],
    records: Mapping[JobKey, AttemptRecord],
    at: int,
) -> Iterator[Order]:
    graces = gather_graces(replies)
    goes_on = {parse_attempt(key)[0] for reply in replies.values() for key in reply.unknown}
    for key, record in records.items():
        is_answered = all(node in replies for node in record.nodes)
        if record.end is None and key not in wanted and key not in goes_on and is_answered:
            yield from _stop(record, _grace(record, graces), at)


def _grace(record: AttemptRecord, graces: Mapping[AttemptKey, GrantedGrace]) -> GrantedGrace | None:
    """Return the shortest grace that any rank was granted."""
    keys = (record.key.rank(rank) for rank in range(len(record.nodes)))
    found: Iterable[GrantedGrace] = (graces[key] for key in keys if key in graces)
    return min(found, key=lambda item: item.seconds, default=None)


def _stop(record: AttemptRecord, grace: GrantedGrace | None, at: int) -> Iterator[Order]:
    """Yield what ends a job next: a signal, and once its time is over Slurm's own TERM and KILL."""
    if record.job_id is None:
        if record.state == NOT_TAKEN:
            yield Drop(record.key)
        return
    seconds = STOP_GRACE_S if grace is None else grace.seconds
    is_over = record.stop_at is not None and at >= record.stop_at
    if record.state in words.WAITING or seconds <= 0 or is_over:
        yield Cancel(record.job_id, record.key)
    elif record.stop_at is None:
        name, notice_s = _notice(grace, seconds)
        yield Signal(record.key, record.job_id, name, at + notice_s)


def _notice(grace: GrantedGrace | None, seconds: int) -> tuple[str, int]:
    """Return the first signal, and after how many seconds the job is cancelled."""
    if grace is None or not grace.notice_s:
        return SIGTERM, seconds
    return grace.signal.removeprefix("SIG"), grace.notice_s
