"""What waits, for the snapshot: of a long queue only what has changed is read again.

Thousands wait, and from one look to the next few of them change. So each look asks first which
versions of rows are queued, in one short text, and then for the columns of those that it has not
seen. Identifiers leave PostgreSQL as text and times as integer milliseconds, the way the core wants
them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from portal.common.clock import millis
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
    seen, at = _QUEUE.look(), Millis(millis(moment))
    views = {waits.id: waits.view for waits in seen}
    timed = {waits.id: waits for waits in seen if waits.changes_with_time}
    for name in {*still_held, *avoid, *homes, *timed} & views.keys():
        view = views[name]
        views[name] = replace(
            view,
            priority=timed[name].priority(at) if name in timed else view.priority,
            request=_at_home(view.request, homes.get(name)),
            held=_held_back(still_held[name], timed[name].retry_at(at) if name in timed else None),
            avoid=avoid.get(name, frozenset()),
        )
    return tuple(views.values())


class _Waits(NamedTuple):
    """One version of a queued row."""

    id: WorkloadId
    view: PendingWorkload
    """As if nothing held it back, with the priority that it was given."""
    raised_until: Millis | None
    retries_at: Millis | None

    @property
    def changes_with_time(self) -> bool:
        """Tell whether the row alone does not say what it is."""
        return self.raised_until is not None or self.retries_at is not None

    def priority(self, now: Millis) -> int:
        """Return its priority now: a raised one has an end."""
        is_over = self.raised_until is not None and self.raised_until <= now
        return 0 if is_over else self.view.priority

    def retry_at(self, now: Millis) -> Millis | None:
        """Return until when it pauses, if it does now."""
        is_paused = self.retries_at is not None and self.retries_at > now
        return self.retries_at if is_paused else None


class _Known(NamedTuple):
    """What this process knows of the queue, as long as it means the same."""

    server: str = ""
    """Names of versions mean nothing to another server, or to one that was restored."""
    learned_at: datetime | None = None
    shapes: Shapes = Shapes()
    waits: Mapping[str, _Waits] = MappingProxyType({})
    """By version, in the order of ids."""


class _Queue:
    """The versions of queued rows that this process has read."""

    def __init__(self) -> None:
        self._known = _Known()

    def look(self) -> Collection[_Waits]:
        """Return everything that is queued, by id; only what is new is read."""
        ((server, names),) = rows_of(_VERSIONS, {})
        known = self._known
        if (known.server, known.learned_at) != (server, LEARNED.at):
            known = _Known(server, LEARNED.at, Shapes())
        versions = names.split(" ") if names else []
        fresh = _read([name for name in versions if name not in known.waits], known.shapes)
        waits = {**known.waits, **fresh}
        found = {name: waits[name] for name in versions if name in waits}
        self._known = known._replace(waits=found)
        return found.values()


def _read(versions: Iterable[str], shapes: Shapes) -> Mapping[str, _Waits]:
    keys = [name[_ID] for name in versions]
    rows = rows_of(_QUEUED, {"keys": keys}) if keys else ()
    return {row[0]: _waits(row, shapes) for row in rows}


_QUEUE: Final = _Queue()
"""Of this process."""


def _waits(row: tuple[Any, ...], shapes: Shapes) -> _Waits:
    view = PendingWorkload(
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
    return _Waits(view.id, view, row[15], row[16])


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
