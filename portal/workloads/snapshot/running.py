"""What runs, for the snapshot: read as plain columns, because there may be thousands.

Identifiers leave PostgreSQL as text and times as integer milliseconds, the way the core wants
them: no row becomes an object twice.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from portal.common.clock import to_millis
from portal.quotas.models import GroupLimit
from portal.workloads.request_columns import build_request
from portal.workloads.run_times import LEARNED, TraitColumns
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    Placement,
    PoolId,
    Request,
    RunningWorkload,
    UserCounters,
    UserId,
    WorkloadId,
)
from scheduler.core.model.states import HOLDING, WorkloadState

TRAINING: Final = "training"
"""The kind of work that ends by itself."""

# Ends with `REQUEST_COLUMNS`. What is released is left out by the aggregate, not by the search: of a
# table that nobody has analyzed, PostgreSQL would read the index of all that is live for each row.
_HELD: Final = """
SELECT held.node_id::text, held.cpu_milli, held.memory_mib, devices.found,
    work.id::text, work.pool_id::text, work.group_id::text, work.owner_id::text, work.kind,
    CASE WHEN work.priority_until <= %(now)s THEN 0 ELSE work.priority END,
    floor(extract(epoch FROM work.submitted_at) * 1000)::bigint, work.version, work.time_limit_s,
    work.preemptible, work.evicted_for::text, work.attained_gpu_s, work.state,
    floor(extract(epoch FROM work.started_at) * 1000)::bigint,
    floor(extract(epoch FROM work.checkpointed_at) * 1000)::bigint,
    held.total_gpu_milli,
    floor(extract(epoch FROM coalesce(held.accounted_until, held.created_at)) * 1000)::bigint,
    work.image_id::text, work.command_digest,
    work.replicas, work.gpus, work.slices, work.cpu_milli, work.memory_mib,
    work.gpu_milli, work.gpu_memory_mib, work.mig_profile
FROM workloads_allocation held
JOIN workloads_workload work ON work.id = held.workload_id
LEFT JOIN LATERAL (
    SELECT array_agg(device.accelerator_id::text || ' '
            || CASE WHEN device.gpu_milli > 0 THEN 0 ELSE device.slot END
        ORDER BY device.accelerator_id, device.slot)
        FILTER (WHERE device.released_at IS NULL) AS found
    FROM workloads_allocationdevice device
    WHERE device.allocation_id = held.id
) devices ON true
WHERE held.state IN ('reserved', 'bound', 'lost') ORDER BY held.workload_id, held.rank
"""


class LiveAllocation(NamedTuple):
    """A live allocation, with the slots it holds and the columns of the workload it serves."""

    node: NodeId
    cpu_milli: int
    memory_mib: int
    devices: tuple[tuple[AcceleratorId, int], ...]
    workload: WorkloadId
    pool: PoolId
    group: GroupId
    user: UserId
    kind: str
    priority: int
    submitted_at: Millis
    version: int
    time_limit_s: int
    preemptible: bool
    evicted_for: WorkloadId | None
    attained_gpu_s: int
    state: str
    started_at: Millis | None
    checkpointed_at: Millis | None
    total_gpu_milli: int
    uncounted_since: Millis
    image: str
    command_digest: str
    request: Request

    @property
    def traits(self) -> TraitColumns:
        """What its run time is predicted from."""
        size = self.request.gpus * 1000 + self.request.slices + self.request.gpu_milli
        members = (self.group, self.user, size, self.request.replicas)
        return (*members, self.image, self.command_digest)


def load_live_allocations(moment: datetime) -> Sequence[LiveAllocation]:
    """Return them by workload and rank."""
    shapes = RequestCache()
    return [
        LiveAllocation._make(
            (*row[:3], _devices(row[3]), *row[4:23], shapes.get(_request_columns(row)))
        )
        for row in fetch_rows(_HELD, {"now": moment})
    ]


def _request_columns(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what a row of `_HELD` asks for: nothing of the cards that an idle notebook gave up."""
    if row[19]:
        return row[23:]
    return (row[23], 0, 0, row[26], row[27], 0, 0, "")


def build_running(
    held: Collection[LiveAllocation], moment: datetime, idle: Mapping[UUID, datetime] | None = None
) -> tuple[RunningWorkload, ...]:
    """Return what holds its place, with what was queued again and has not let go of it yet.

    The latter waits in the queue too: there it is held back until its containers are gone. It
    counts as leaving for whatever cause, or a lender would call back one guest after the other.
    `idle`: since when nobody uses what.
    """
    ranks: dict[WorkloadId, list[LiveAllocation]] = defaultdict(list)
    for item in held:
        if item.state in HOLDING or item.state == WorkloadState.QUEUED:
            ranks[item.workload].append(item)
    at = Millis(to_millis(moment))
    idle_since = {str(key): Millis(to_millis(since)) for key, since in (idle or {}).items()}
    views = (_running_workload(items, at) for items in ranks.values())
    return tuple(
        replace(view, idle_since=since) if (since := idle_since.get(view.id)) else view
        for view in views
    )


def _running_workload(items: Sequence[LiveAllocation], now: Millis) -> RunningWorkload:
    """Return one workload; what has not started yet counts as if it began now."""
    work = items[0]
    is_running = work.state == WorkloadState.RUNNING
    is_evicted = work.state == WorkloadState.QUEUED
    started_at = work.started_at if is_running else None
    return RunningWorkload(
        id=work.workload,
        pool=work.pool,
        group=work.group,
        user=work.user,
        kind=work.kind,
        priority=work.priority,
        request=work.request,
        placements=tuple(Placement(item.node, item.devices) for item in items),
        ends_at=Millis((started_at or now) + work.time_limit_s * 1000),
        stopping=is_evicted or work.state == WorkloadState.STOPPING,
        version=work.version,
        submitted_at=work.submitted_at,
        started_at=started_at,
        expected_end=_expected_end(work, now),
        preemptible=work.preemptible,
        checkpointed_at=work.checkpointed_at,
        attained_gpu_s=work.attained_gpu_s,
        stopping_for=work.evicted_for if is_evicted else None,
    )


def _expected_end(work: LiveAllocation, now: Millis) -> Millis | None:
    if work.kind != TRAINING:
        return None
    begun = work.started_at if work.state == WorkloadState.RUNNING and work.started_at else now
    expected_s = LEARNED.predict_total_s(work.traits, ran_s=max((now - begun) // 1000, 0))
    return None if expected_s is None else Millis(begun + min(expected_s, work.time_limit_s) * 1000)


def count_running(
    held: Collection[LiveAllocation], waiting: Collection[PendingWorkload]
) -> tuple[UserCounters, ...]:
    """Count what each member runs, or waits to run, in the groups that limit it."""
    limits = GroupLimit.objects.filter(running_per_user_max__isnull=False)
    most = {
        GroupId(str(group)): limit
        for group, limit in limits.values_list("group", "running_per_user_max")
    }
    if not most:
        return ()
    runs = Counter(
        (user, group)
        for user, group, _ in {
            (item.user, item.group, item.workload) for item in held if item.state in HOLDING
        }
    )
    members = runs.keys() | {(item.user, item.group) for item in waiting}
    return tuple(
        UserCounters(user, group, runs[user, group], most[group])
        for user, group in sorted(members)
        if group in most
    )


class RequestCache:
    """One `Request` for all workloads that ask for the same: thousands share a few shapes."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Request] = {}

    def get(self, columns: tuple[Any, ...]) -> Request:
        """Return what these columns, in the order of `REQUEST_COLUMNS`, ask for."""
        found = self._known.get(columns)
        if found is None:
            found = self._known[columns] = build_request(columns)
        return found


def _devices(found: Sequence[str] | None) -> tuple[tuple[AcceleratorId, int], ...]:
    pairs = (item.split(" ") for item in found or ())
    return tuple((AcceleratorId(card), int(slot)) for card, slot in pairs)


def fetch_rows(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return what a statement finds, as plain columns."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
