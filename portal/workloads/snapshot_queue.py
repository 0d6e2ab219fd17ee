"""What waits, for the snapshot: of a long queue only what has changed is read again.

Thousands wait, and from one look to the next few of them change. So each look asks first which
versions of rows are queued, in one short text, and then for the columns of those that it has not
seen. Identifiers leave PostgreSQL as text and times as integer milliseconds, the way the core wants
them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from portal.common.clock import to_millis
from portal.workloads.avoidance import to_avoid
from portal.workloads.run_times import LEARNED
from portal.workloads.snapshot_work import TRAINING, Held, Shapes, rows_of
from scheduler.core.entities import (
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.reasons import Reason, ReasonCode

_VERSIONS: Final = """
SELECT pg_postmaster_start_time()::text, string_agg(queued.version, ' ') FROM (
    SELECT id::text || xmin::text || ctid::text AS version
    FROM workloads_workload WHERE state = 'queued' ORDER BY id
) queued
"""
"""A row that is written again, be it in the same transaction, has another of these names."""
_ID: Final = slice(36)
"""Where the key stands in the name of a version."""
# Ends with `requests.COLUMNS`.
_QUEUED: Final = """
SELECT work.id::text || work.xmin::text || work.ctid::text,
    work.id::text, work.pool_id::text, work.group_id::text, work.owner_id::text, work.kind,
    work.priority, floor(extract(epoch FROM work.submitted_at) * 1000)::bigint, work.version,
    work.time_limit_s, work.preemptible, work.yields_to::text, work.attained_card_s,
    work.image_id::text, work.command_digest,
    floor(extract(epoch FROM work.priority_until) * 1000)::bigint,
    floor(extract(epoch FROM work.retry_at) * 1000)::bigint,
    work.replicas, work.cards, work.slices, work.cpu_milli, work.memory_mib,
    work.share_milli, work.share_mib, work.mig_profile
FROM workloads_workload work WHERE work.id = ANY(%(keys)s::uuid[])
"""
_HOMES: Final = """
SELECT work.id::text, last.node_id::text
FROM workloads_workload work
JOIN LATERAL (
    SELECT node_id FROM workloads_allocation
    WHERE workload_id = work.id AND started_at IS NOT NULL ORDER BY epoch DESC LIMIT 1
) last ON true
JOIN inventory_node node ON node.id = last.node_id
WHERE work.state = 'queued' AND work.kind = 'environment' AND node.state <> 'retired'
    AND node.faults @> '[{"code": "storage_local"}]'
"""
"""Notebooks whose files are on the node that ran them last, and nowhere else."""


def pending(held: Collection[Held], moment: datetime) -> tuple[PendingWorkload, ...]:
    """Return what is queued."""
    LEARNED.bring_up(moment)
    still_held = Counter(item.workload for item in held)
    avoid, homes = to_avoid(moment), dict(rows_of(_HOMES, {}))
    views, timed = _QUEUE.look()
    marked = {*still_held, *avoid, *homes, *timed}
    at = Millis(to_millis(moment))

    def as_of_now(view: PendingWorkload) -> PendingWorkload:
        times = timed.get(view.id, _TIMELESS)
        return replace(
            view,
            priority=times.priority(view.priority, at),
            request=_at_home(view.request, homes.get(view.id)),
            held=_held_back(still_held[view.id], times.retry_at(at)),
            avoid=avoid.get(view.id, frozenset()),
        )

    return tuple(as_of_now(view) if view.id in marked else view for view in views)


class _Timed(NamedTuple):
    """What of a queued row changes with time."""

    raised_until: Millis | None = None
    retries_at: Millis | None = None

    def priority(self, given: int, now: Millis) -> int:
        """Return its priority now: a raised one has an end."""
        is_over = self.raised_until is not None and self.raised_until <= now
        return 0 if is_over else given

    def retry_at(self, now: Millis) -> Millis | None:
        """Return until when it pauses, if it does now."""
        is_paused = self.retries_at is not None and self.retries_at > now
        return self.retries_at if is_paused else None


_TIMELESS: Final = _Timed()


class _Known(NamedTuple):
    """What this process knows of the queue, as long as it means the same."""

    server: str = ""
    """Names of versions mean nothing to another server, or to one that was restored."""
    learned_at: datetime | None = None
    shapes: Shapes = Shapes()
    views: Mapping[str, PendingWorkload] = MappingProxyType({})
    """By version, in the order of ids; as if nothing held them back."""
    timed: Mapping[str, _Timed] = MappingProxyType({})
    """By version, of the few that have such columns."""


class _Queue:
    """The versions of queued rows that this process has read."""

    def __init__(self) -> None:
        self._known = _Known()

    def look(self) -> tuple[Collection[PendingWorkload], Mapping[str, _Timed]]:
        """Return everything that is queued, by id, and what of it changes with time, by its id.

        Only what is new is read.
        """
        ((server, names),) = rows_of(_VERSIONS, {})
        known = self._known
        if (known.server, known.learned_at) != (server, LEARNED.at):
            known = _Known(server, LEARNED.at, Shapes())
        versions = names.split(" ") if names else []
        fresh = _read([name for name in versions if name not in known.views])
        views = {**known.views, **{row[0]: _view(row, known.shapes) for row in fresh}}
        timed = {**known.timed, **{row[0]: times for row in fresh if (times := _times(row))}}
        views = {name: views[name] for name in versions if name in views}
        timed = {name: times for name, times in timed.items() if name in views}
        self._known = known._replace(views=views, timed=timed)
        return views.values(), {name[_ID]: times for name, times in timed.items()}


def _read(versions: Iterable[str]) -> Sequence[tuple[Any, ...]]:
    keys = [name[_ID] for name in versions]
    return rows_of(_QUEUED, {"keys": keys}) if keys else ()


_QUEUE: Final = _Queue()
"""Of this process."""


def _times(row: tuple[Any, ...]) -> _Timed | None:
    found = _Timed(row[15], row[16])
    return None if found == _TIMELESS else found


def _view(row: tuple[Any, ...], shapes: Shapes) -> PendingWorkload:
    return PendingWorkload(
        id=WorkloadId(row[1]),
        pool=PoolId(row[2]),
        group=GroupId(row[3]),
        user=UserId(row[4]),
        kind=row[5],
        priority=row[6],
        submitted_at=Millis(row[7]),
        request=shapes.of(row[17:]),
        version=row[8],
        time_limit_s=row[9],
        preemptible=row[10],
        expected_s=_seconds(row),
        attained=row[12],
        yields_to=row[11],
    )


def _seconds(row: tuple[Any, ...]) -> int | None:
    """Return how long a row of `_QUEUED` is expected to run."""
    if row[5] != TRAINING:
        return None
    return LEARNED.seconds(
        (row[3], row[4], row[18] * 1000 + row[19] + row[22], row[17], row[13], row[14])
    )


def _at_home(request: Request, home: NodeId | None) -> Request:
    return request if home is None else replace(request, home=home)


def _held_back(allocations: int, retry_at: Millis | None) -> tuple[Reason, ...]:
    """Say that an earlier attempt must be proven gone first, or that a pause is not over."""
    found: tuple[Reason, ...] = ()
    if allocations:
        found = (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": allocations}),)
    if retry_at is not None:
        found = (*found, Reason(ReasonCode.WAITING_TO_RETRY, {"retry_at": retry_at}))
    return found
