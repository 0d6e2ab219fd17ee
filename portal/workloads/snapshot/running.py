"""Live allocations and running workloads for the snapshot, read as plain columns.

There may be thousands, so no row becomes a model object: keys leave PostgreSQL as text and moments
as integer milliseconds, the form that the engine takes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID

from django.db import connection

from portal.common.clock import to_millis
from portal.common.postgresql.column_lists import fill_columns, select_list
from portal.common.work_kinds import KINDS
from portal.quotas.selectors import running_limits_for_system
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS, build_request
from portal.workloads.run_times import LEARNED, JobColumns
from scheduler.core.model.entities import (
    AcceleratorId,
    ArrayId,
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
from scheduler.core.model.policy import REAL_OVERHEADS
from scheduler.core.model.states import HOLDING, WorkloadState

NO_GRACES: Final[Mapping[PoolId, int]] = MappingProxyType({})
RUNS_OR_EVICTED: Final = HOLDING | {WorkloadState.QUEUED}
"""States of the work behind live allocations; queued work was evicted and is not gone yet."""


class LiveAllocation(NamedTuple):
    """A live allocation with the slots that it holds, and the columns of its workload."""

    node: NodeId
    cpu_milli: int
    memory_mib: int
    devices: tuple[tuple[AcceleratorId, int], ...]
    total_gpu_milli: int
    uncounted_since: Millis
    """Its GPU use since then is in no table yet."""
    created_at: Millis
    stop_grace_s: int | None
    """Between notice and stop, where it was given notice."""
    workload: WorkloadId
    pool: PoolId
    group: GroupId
    user: UserId
    kind: str
    priority: int
    submitted_at: Millis
    version: int
    time_limit_s: int | None
    preemptible: bool
    evicted_for: WorkloadId | None
    array: ArrayId | None
    attained_gpu_s: int
    state: str
    queued_at: Millis
    """When it was last queued: of evicted work, when it was given notice."""
    started_at: Millis | None
    checkpointed_at: Millis | None
    must_end_at: Millis | None
    image: str
    command_digest: str
    request: Request

    @property
    def job(self) -> JobColumns:
        """What its run time is predicted from."""
        return self.group, self.user, self.request, self.image, self.command_digest


_FIRST: Final = LiveAllocation._fields.index("workload")
_LAST: Final = LiveAllocation._fields.index("request")
_COLUMN_OF: Final = {"workload": "id", "user": "owner"}
"""Fields whose column in the model has another name."""
# Released devices are left out by the aggregate, not by the search: while the table has no
# statistics yet, PostgreSQL would read the index of all live devices for each row.
_LIVE: Final = fill_columns(
    """
SELECT held.node_id::text, held.cpu_milli, held.memory_mib, devices.found, held.total_gpu_milli,
    floor(extract(epoch FROM coalesce(held.accounted_until, held.created_at)) * 1000)::bigint,
    floor(extract(epoch FROM held.created_at) * 1000)::bigint, held.stop_grace_s,
    {columns}, {request}
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
WHERE held.state IN ('reserved', 'bound', 'lost')
    AND (%(only)s::uuid[] IS NULL OR held.workload_id = ANY(%(only)s::uuid[]))
ORDER BY held.workload_id, held.rank
""",
    columns=select_list(
        Workload,
        [_COLUMN_OF.get(name, name) for name in LiveAllocation._fields[_FIRST:_LAST]],
        table="work",
        overrides={
            "priority": "CASE WHEN work.priority_until <= %(now)s THEN 0 ELSE work.priority END"
        },
    ),
    request=select_list(Workload, REQUEST_COLUMNS, table="work"),
)


def load_live_allocations(
    moment: datetime, only: Collection[WorkloadId] | None = None
) -> Sequence[LiveAllocation]:
    """Return every live allocation, or those of some work, by workload and rank."""
    asked = {"now": moment, "only": None if only is None else list(only)}
    return [
        LiveAllocation._make(
            (*row[:3], _devices(row[3]), *row[4:_LAST], build_request(_requested(row)))
        )
        for row in fetch_rows(_LIVE, asked)
    ]


_WITHOUT_GPUS: Final = frozenset(
    {
        *("gpus", "slices", "gpu_milli", "gpu_memory_mib"),
        *("gpu_memory_min_mib", "gpu_bandwidth_min_gbps"),
    }
)
_WITHOUT_TEXTS: Final = frozenset({"mig_profile", "gpu_models", "gpu_features"})


def _requested(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the request columns of a row; without the GPUs that an idle notebook has released."""
    columns, total_gpu_milli = row[_LAST:], row[4]
    if total_gpu_milli:
        return columns
    return tuple(
        "" if name in _WITHOUT_TEXTS else 0 if name in _WITHOUT_GPUS else value
        for name, value in zip(REQUEST_COLUMNS, columns, strict=True)
    )


def build_running(
    held: Collection[LiveAllocation],
    moment: datetime,
    idle: Mapping[UUID, datetime] | None = None,
    graces: Mapping[PoolId, int] = NO_GRACES,
) -> tuple[RunningWorkload, ...]:
    """Return the workloads behind live allocations, those being stopped and evicted included.

    An evicted workload is queued again and waits there until its containers are proven gone. It
    counts as stopping here, whatever the cause: else a lender would evict one borrower after the
    other. `idle` says since when notebooks have not been in use, `graces` how long work of each pool may
    stay after its time limit.
    """
    ranks: dict[WorkloadId, list[LiveAllocation]] = defaultdict(list)
    for item in held:
        if item.state in RUNS_OR_EVICTED:
            ranks[item.workload].append(item)
    at = Millis(to_millis(moment))
    idle_since = {str(key): Millis(to_millis(since)) for key, since in (idle or {}).items()}
    found = (_running_workload(items, at, graces.get(items[0].pool, 0)) for items in ranks.values())
    return tuple(
        replace(workload, idle_since=since) if (since := idle_since.get(workload.id)) else workload
        for workload in found
    )


def _running_workload(
    items: Sequence[LiveAllocation], now: Millis, grace_s: int
) -> RunningWorkload:
    """Return the workload of these ranks; one that has not started counts as if it started now."""
    work = items[0]
    is_running = work.state == WorkloadState.RUNNING
    is_evicted = work.state == WorkloadState.QUEUED
    started_at = work.started_at if is_running else None
    return RunningWorkload(
        id=work.workload,
        pool=work.pool,
        group=work.group,
        user=work.user,
        priority=work.priority,
        request=work.request,
        placements=tuple(Placement(item.node, item.devices) for item in items),
        ends_at=limit_of(work, now),
        stopping=is_evicted or work.state == WorkloadState.STOPPING,
        version=work.version,
        submitted_at=work.submitted_at,
        started_at=started_at,
        expected_end=_expected_end(work, now),
        preemptible=work.preemptible,
        checkpointed_at=work.checkpointed_at,
        attained_gpu_s=work.attained_gpu_s,
        stopping_for=work.evicted_for if is_evicted else None,
        array=work.array,
        leaves_by=_leaves_by(items, now, grace_s),
        traits=KINDS[work.kind].traits,
    )


def _leaves_by(items: Sequence[LiveAllocation], now: Millis, grace_s: int) -> Millis | None:
    """Return when all ranks are gone for certain, and the nodes have said so; None is not known."""
    work = items[0]
    given_s = max((item.stop_grace_s or 0 for item in items), default=0)
    settling_ms = REAL_OVERHEADS.settling_s * 1000
    if work.state == WorkloadState.QUEUED:
        return Millis(work.queued_at + given_s * 1000 + settling_ms)
    if work.state == WorkloadState.STOPPING:
        return None
    starts_by = work.created_at + REAL_OVERHEADS.starting_s * 1000
    begun = work.started_at if work.state == WorkloadState.RUNNING else None
    limit = _limit(begun or max(starts_by, now), work)
    return None if limit is None else Millis(limit + grace_s * 1000 + settling_ms)


class Limited(Protocol):
    """Live work as far as its end depends on it."""

    @property
    def state(self) -> str:
        """Its state."""

    @property
    def started_at(self) -> Millis | None:
        """When it last started."""

    @property
    def time_limit_s(self) -> int | None:
        """For how long it may run; None is an open end."""

    @property
    def must_end_at(self) -> Millis | None:
        """When it ends in any case."""


def limit_of(work: Limited, now: Millis) -> Millis | None:
    """Return when work reaches its limit, None if nothing ends it; what has not started counts as if it did now."""
    started_at = work.started_at if work.state == WorkloadState.RUNNING else None
    return _limit(started_at or now, work)


def _limit(begun: int, work: Limited) -> Millis | None:
    if work.time_limit_s is None:
        return work.must_end_at
    limit = Millis(begun + work.time_limit_s * 1000)
    return limit if work.must_end_at is None else min(limit, work.must_end_at)


def _expected_end(work: LiveAllocation, now: Millis) -> Millis | None:
    if not KINDS[work.kind].runs_to_end:
        return None
    begun = work.started_at if work.state == WorkloadState.RUNNING and work.started_at else now
    expected_s = LEARNED.predict_total_s(work.job, ran_s=max((now - begun) // 1000, 0))
    if expected_s is None:
        return None
    limit, expected = limit_of(work, now), Millis(begun + expected_s * 1000)
    return expected if limit is None else min(expected, limit)


def count_running(
    held: Collection[LiveAllocation], waiting: Collection[PendingWorkload]
) -> tuple[UserCounters, ...]:
    """Count what each member runs, for members that run or wait under such a limit."""
    limits = running_limits_for_system()
    if not limits.has_any:
        return ()
    runs = Counter(
        (user, group)
        for user, group, _ in {
            (item.user, item.group, item.workload) for item in held if item.state in HOLDING
        }
    )
    members = runs.keys() | {(item.user, item.group) for item in waiting}
    most = {key: limits.limit_of(UUID(key[1]), UUID(key[0])) for key in members}
    return tuple(
        UserCounters(user, group, runs[user, group], limit)
        for (user, group), limit in sorted(most.items())
        if limit is not None
    )


def _devices(found: Sequence[str] | None) -> tuple[tuple[AcceleratorId, int], ...]:
    pairs = (item.split(" ") for item in found or ())
    return tuple((AcceleratorId(card), int(slot)) for card, slot in pairs)


def fetch_rows(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement as plain columns."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
