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
from portal.workloads.run_times import LEARNED
from portal.workloads.snapshot.avoidance import load_avoided
from portal.workloads.snapshot.running import TRAINING, LiveAllocation, RequestCache, fetch_rows
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.reasons import Reason, ReasonCode

_VERSIONS: Final = """
SELECT pg_postmaster_start_time()::text, string_agg(queued.version, ' ') FROM (
    SELECT id::text || xmin::text || ctid::text AS version
    FROM workloads_workload WHERE state = 'queued' ORDER BY id
) queued
"""
"""A row that is written again, be it in the same transaction, has another of these names."""
_ID: Final = slice(36)
"""Where the key stands in the name of a version."""
# Ends with `REQUEST_COLUMNS`.
_QUEUED: Final = """
SELECT work.id::text || work.xmin::text || work.ctid::text,
    work.id::text, work.pool_id::text, work.group_id::text, work.owner_id::text, work.kind,
    work.priority, floor(extract(epoch FROM work.submitted_at) * 1000)::bigint, work.version,
    work.time_limit_s, work.preemptible, work.evicted_for::text, work.attained_gpu_s,
    work.image_id::text, work.command_digest,
    floor(extract(epoch FROM work.priority_until) * 1000)::bigint,
    floor(extract(epoch FROM work.retry_at) * 1000)::bigint,
    work.replicas, work.gpus, work.slices, work.cpu_milli, work.memory_mib,
    work.gpu_milli, work.gpu_memory_mib, work.mig_profile
FROM workloads_workload work WHERE work.id = ANY(%(keys)s::uuid[])
"""
_LOCAL_FILES: Final = """
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


def load_pending(held: Collection[LiveAllocation], moment: datetime) -> tuple[PendingWorkload, ...]:
    """Return what is queued."""
    LEARNED.refresh(moment)
    still_held = Counter(item.workload for item in held)
    avoid, homes = load_avoided(moment), dict(fetch_rows(_LOCAL_FILES, {}))
    views, timed = _CACHE.read()
    marked = {*still_held, *avoid, *homes, *timed}
    at = Millis(to_millis(moment))

    def as_of_now(view: PendingWorkload) -> PendingWorkload:
        times = timed.get(view.id, _TIMELESS)
        return replace(
            view,
            priority=times.priority_at(view.priority, at),
            request=_bind_to_node(view.request, homes.get(view.id)),
            held=_blocking_reasons(still_held[view.id], times.paused_until(at)),
            avoid=avoid.get(view.id, frozenset()),
        )

    return tuple(as_of_now(view) if view.id in marked else view for view in views)


class _TimedColumns(NamedTuple):
    """What of a queued row changes with time."""

    raised_until: Millis | None = None
    retries_at: Millis | None = None

    def priority_at(self, given: int, now: Millis) -> int:
        """Return its priority now: a raised one has an end."""
        is_over = self.raised_until is not None and self.raised_until <= now
        return 0 if is_over else given

    def paused_until(self, now: Millis) -> Millis | None:
        """Return until when it pauses, if it does now."""
        is_paused = self.retries_at is not None and self.retries_at > now
        return self.retries_at if is_paused else None


_TIMELESS: Final = _TimedColumns()


class _CachedQueue(NamedTuple):
    """What this process knows of the queue, as long as it means the same."""

    server: str = ""
    """Names of versions mean nothing to another server, or to one that was restored."""
    learned_at: datetime | None = None
    requests: RequestCache = RequestCache()
    workloads: Mapping[str, PendingWorkload] = MappingProxyType({})
    """By version, in the order of ids; as if nothing held them back."""
    timed: Mapping[str, _TimedColumns] = MappingProxyType({})
    """By version, of the few that have such columns."""


class _QueueCache:
    """The versions of queued rows that this process has read."""

    def __init__(self) -> None:
        self._known = _CachedQueue()

    def read(self) -> tuple[Collection[PendingWorkload], Mapping[str, _TimedColumns]]:
        """Return everything that is queued, by id, and what of it changes with time, by its id.

        Only what is new is read.
        """
        ((server, names),) = fetch_rows(_VERSIONS, {})
        known = self._known
        if (known.server, known.learned_at) != (server, LEARNED.learned_at):
            known = _CachedQueue(server, LEARNED.learned_at, RequestCache())
        versions = names.split(" ") if names else []
        fresh = _read([name for name in versions if name not in known.workloads])
        views = {
            **known.workloads,
            **{row[0]: _pending_workload(row, known.requests) for row in fresh},
        }
        timed = {
            **known.timed,
            **{row[0]: times for row in fresh if (times := _timed_columns(row))},
        }
        views = {name: views[name] for name in versions if name in views}
        timed = {name: times for name, times in timed.items() if name in views}
        self._known = known._replace(workloads=views, timed=timed)
        return views.values(), {name[_ID]: times for name, times in timed.items()}


def _read(versions: Iterable[str]) -> Sequence[tuple[Any, ...]]:
    keys = [name[_ID] for name in versions]
    return fetch_rows(_QUEUED, {"keys": keys}) if keys else ()


_CACHE: Final = _QueueCache()
"""Of this process."""


def _timed_columns(row: tuple[Any, ...]) -> _TimedColumns | None:
    found = _TimedColumns(row[15], row[16])
    return None if found == _TIMELESS else found


def _pending_workload(row: tuple[Any, ...], shapes: RequestCache) -> PendingWorkload:
    return PendingWorkload(
        id=WorkloadId(row[1]),
        pool=PoolId(row[2]),
        group=GroupId(row[3]),
        user=UserId(row[4]),
        kind=row[5],
        priority=row[6],
        submitted_at=Millis(row[7]),
        request=shapes.get(row[17:]),
        version=row[8],
        time_limit_s=row[9],
        preemptible=row[10],
        expected_s=_expected_seconds(row),
        attained_gpu_s=row[12],
        evicted_for=row[11],
    )


def _expected_seconds(row: tuple[Any, ...]) -> int | None:
    """Return how long a row of `_QUEUED` is expected to run."""
    if row[5] != TRAINING:
        return None
    return LEARNED.predict_s(
        (row[3], row[4], row[18] * 1000 + row[19] + row[22], row[17], row[13], row[14])
    )


def _bind_to_node(request: Request, home: NodeId | None) -> Request:
    return request if home is None else replace(request, home_node=home)


def _blocking_reasons(allocations: int, retry_at: Millis | None) -> tuple[Reason, ...]:
    """Say that an earlier attempt must be proven gone first, or that a pause is not over."""
    found: tuple[Reason, ...] = ()
    if allocations:
        found = (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": allocations}),)
    if retry_at is not None:
        found = (*found, Reason(ReasonCode.WAITING_TO_RETRY, {"retry_at": retry_at}))
    return found
