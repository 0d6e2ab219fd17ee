"""Allocations and their devices: the only writer of allocation states.

Every function runs in the caller's transaction, with the workloads locked by `lock_node_allocations`
or `lifecycle.lock_workload`. Quota rows are locked by one call per transaction where possible.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection

from portal.common.clock import from_millis, now
from portal.common.ids import new_id
from portal.common.model_rows import ModelRows
from portal.common.notifications import invalidate_nodes, wake_scheduler
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns
from portal.execution.backends import UNLEASED
from portal.execution.report import SeenContainer
from portal.quotas import services as quotas
from portal.quotas.counters import QuotaUse
from portal.workloads import gpu_accounting
from portal.workloads.models import Allocation, Workload
from portal.workloads.state.locked_rows import LockedWorkload
from portal.workloads.state.placement_recheck import AcceptedPlacement, RankCost, RankGrant
from portal.workloads.state.reconcile import (
    HeldAllocation,
    ProvenEnd,
    Reconciliation,
)
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import LIVE_ALLOCATION, PLACED, AllocationState, WorkloadState
from wire.words import Phase, SilenceTerm


@dataclass(frozen=True, slots=True)
class NodeAllocations:
    """The live allocations of one node, with their locked workloads."""

    workloads: Mapping[UUID, Workload]
    allocations: tuple[Allocation, ...]

    def held_allocations(self) -> tuple[HeldAllocation, ...]:
        """Return them as `reconcile_node` takes them."""
        return tuple(
            HeldAllocation(
                allocation=item.wire_name,
                epoch=item.epoch,
                is_wanted=is_wanted(self.workloads[item.workload_id], item),
                phase=item.phase,
                unwanted_seq=item.unwanted_seq,
                silence=SilenceTerm(item.silence),
                is_sent=item.state != AllocationState.RESERVED,
            )
            for item in self.allocations
        )

    def wanted_allocations(self) -> tuple[Allocation, ...]:
        """Return the allocations whose containers are to run."""
        return tuple(a for a in self.allocations if is_wanted(self.workloads[a.workload_id], a))

    def reload(self) -> "NodeAllocations":
        """Return the same allocations as this transaction has left them in the database."""
        live = Allocation.objects.filter(pk__in=[item.pk for item in self.allocations])
        return NodeAllocations(self.workloads, tuple(live.order_by("id"))).without_released()

    def without_released(self) -> "NodeAllocations":
        """Return the same without released allocations."""
        live = tuple(item for item in self.allocations if item.state in LIVE_ALLOCATION)
        return NodeAllocations(self.workloads, live)


# Plain SQL, because every heartbeat of every node runs these.
_WORKLOADS: Final = ModelRows(Workload, "work")
_LOCK_WORKLOADS: Final = _WORKLOADS.fill("""
SELECT {work} FROM workloads_workload work WHERE id IN (
    SELECT workload_id FROM workloads_allocation
    WHERE node_id = %s AND state IN ('reserved', 'bound', 'lost')
) ORDER BY id FOR NO KEY UPDATE
""")
_ALLOCATIONS: Final = ModelRows(Allocation, "held")
_LIVE_ON_NODE: Final = _ALLOCATIONS.fill("""
SELECT {held} FROM workloads_allocation held
WHERE node_id = %s AND state IN ('reserved', 'bound', 'lost') ORDER BY id
""")


def lock_node_allocations(node_id: UUID) -> NodeAllocations:
    """Lock, in id order, every workload with a live allocation on a node, and return both.

    An allocation that another transaction commits meanwhile is left to the next call.
    """
    workloads = {row.pk: row for row in _WORKLOADS.fetch(_LOCK_WORKLOADS, [node_id])}
    found = _ALLOCATIONS.fetch(_LIVE_ON_NODE, [node_id]) if workloads else ()
    return NodeAllocations(
        workloads, tuple(item for item in found if item.workload_id in workloads)
    )


def is_wanted(workload: Workload, allocation: Allocation) -> bool:
    """Return whether the container of this attempt is to run."""
    return WorkloadState(workload.state) in PLACED and allocation.epoch == workload.epoch


def live_allocations(workload: Workload) -> tuple[Allocation, ...]:
    """Return the live allocations of a locked workload, of any epoch, by rank."""
    return tuple(workload.allocations.filter(state__in=LIVE_ALLOCATION).order_by("rank"))


_INSERT_ALLOCATIONS: Final = """
INSERT INTO workloads_allocation (id, created_at, workload_id, rank, epoch, node_id, pool_id, state,
    silence, cpu_milli, memory_mib, total_gpu_milli, total_gpu_memory_mib, gpu_milli_by_model,
    phase, detail, exit_cause)
SELECT given.id, %s, work.id, given.rank, work.epoch, given.node, work.pool_id, 'reserved',
    CASE WHEN pool.backend = ANY(%s) THEN 'keep'
        WHEN 'replace' IN (work.silence, pool.policy ->> 'silence') THEN 'replace' ELSE 'keep' END,
    work.cpu_milli, work.memory_mib, given.gpu_milli, given.gpu_memory_mib, given.by_model::jsonb,
    '', '', ''
FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::uuid[], %s::int[], %s::int[], %s::text[])
    AS given (id, workload, rank, node, gpu_milli, gpu_memory_mib, by_model)
JOIN workloads_workload work ON work.id = given.workload
JOIN inventory_pool pool ON pool.id = work.pool_id
"""
_INSERT_DEVICES: Final = """
INSERT INTO workloads_allocationdevice
    (allocation_id, accelerator_id, slot, slices, gpu_milli, memory_mib, claim_mode, held_from,
    counted_milli)
SELECT given.allocation, card.id, given.slot, card.slices, given.milli,
    CASE WHEN given.milli > 0 THEN given.mib ELSE card.slice_mib END, card.mode, %s, given.counted
FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::int[], %s::int[], %s::int[])
    AS given (allocation, card, slot, milli, mib, counted)
JOIN inventory_accelerator card ON card.id = given.card
"""


def create_allocations(accepted: Sequence[AcceptedPlacement]) -> None:
    """Insert the allocations and devices of these placements, for the present epoch of each workload."""
    ranks = [
        (item, grant, cost, new_id())
        for item in accepted
        for grant, cost in zip(item.ranks, item.costs, strict=True)
    ]
    moment = now()
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT_ALLOCATIONS,
            [
                moment,
                list(UNLEASED),
                format_array(key for *_, key in ranks),
                format_array(item.workload.id for item, *_ in ranks),
                format_array(grant.rank for _, grant, *_ in ranks),
                format_array(grant.node.id for _, grant, *_ in ranks),
                format_array(cost.amount.gpu for _, _, cost, _ in ranks),
                format_array(cost.amount.gpu_memory for _, _, cost, _ in ranks),
                [json.dumps(cost.gpu_milli_by_model) for _, _, cost, _ in ranks],
            ],
        )
    insert_devices([(key, item.workload, grant, cost) for item, grant, cost, key in ranks], moment)


def insert_devices(
    grants: Iterable[tuple[UUID, LockedWorkload, RankGrant, RankCost]], moment: datetime
) -> None:
    """Insert the devices that these allocations hold from a moment on."""
    rows = [row for each in grants for row in _device_rows(*each)]
    if rows:
        columns = [format_array(column) for column in zip(*rows, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute(_INSERT_DEVICES, [moment, *columns])


def _device_rows(
    key: UUID, workload: LockedWorkload, grant: RankGrant, cost: RankCost
) -> Iterator[tuple[UUID, str, int, int, int, int]]:
    """Yield the columns of each device; what they count as adds up to what the rank costs."""
    request, count, whole = workload.request, len(grant.slots), cost.amount.gpu
    for number, (card, slot) in enumerate(grant.slots):
        counted = whole * (number + 1) // count - whole * number // count
        yield key, card.id, slot, request.gpu_milli, request.gpu_memory_mib, counted


def bind_allocations(reserved: Iterable[Allocation]) -> None:
    """Mark reserved allocations as bound: the reply that is sent next names them."""
    _update_allocations(_bind_reserved(reserved))


def _bind_reserved(reserved: Iterable[Allocation]) -> list[Allocation]:
    fresh = [item for item in reserved if item.state == AllocationState.RESERVED]
    for item in fresh:
        item.state, item.bound_at = AllocationState.BOUND.value, now()
    return fresh


_REPORTED: Final = ("phase", "detail", "progress_pct", "port", "isolation")
"""Columns that repeat what a node reports of a container."""
_CHANGED_COLUMNS: Final = (
    *("state", *_REPORTED, "bound_at", "started_at", "finished_at", "released_at"),
    *("ready_at", "billed_until", "exit_code", "exit_cause"),
)
"""Every column that a report or a release may set."""
# The keys are given twice: without them by themselves PostgreSQL would read the whole table.
_UPDATE_ALLOCATIONS: Final = fill_columns(
    """
UPDATE workloads_allocation held SET ({columns}) = ({given})
FROM jsonb_populate_recordset(NULL::workloads_allocation, %s::jsonb) given
WHERE held.id = ANY(%s) AND held.id = given.id
""",
    columns=", ".join(_CHANGED_COLUMNS),
    given=", ".join(f"given.{name}" for name in _CHANGED_COLUMNS),
)


def _update_allocations(allocations: Sequence[Allocation]) -> None:
    """Write the changed columns of these allocations; the locks on their workloads cover them."""
    if not allocations:
        return
    names = ("id", *_CHANGED_COLUMNS)
    rows = [{name: getattr(item, name) for name in names} for item in allocations]
    with connection.cursor() as cursor:
        cursor.execute(
            _UPDATE_ALLOCATIONS, [json.dumps(rows, default=str), [item.pk for item in allocations]]
        )


def mark_unwanted(allocations: Iterable[Allocation], seq: int) -> None:
    """Save the number of the first reply that leaves these allocations out."""
    fresh = [item.pk for item in allocations if item.unwanted_seq is None]
    if not fresh:
        return
    Allocation.objects.filter(pk__in=fresh).update(unwanted_seq=seq)


def set_stop_grace(allocations: Iterable[Allocation], grace_s: int) -> None:
    """Save how long the containers of an eviction may take to stop by themselves."""
    keys = [item.pk for item in allocations]
    Allocation.objects.filter(pk__in=keys).update(stop_grace_s=grace_s)


def presume_sent() -> None:
    """Treat every reservation as sent: a restored database cannot tell whether its node has it."""
    rows = Allocation.objects.filter(state=AllocationState.RESERVED)
    rows.update(state=AllocationState.BOUND.value, bound_at=now())


def presume_kept(workload: Workload, epoch: int) -> None:
    """Hold an adopted attempt until its nodes prove its end, whatever it was instructed when it started."""
    Allocation.objects.filter(workload=workload, epoch=epoch).update(
        state=AllocationState.BOUND.value, bound_at=now(), silence=SilenceTerm.KEEP.value
    )


_KEEP_OWNER: Final = """
UPDATE workloads_allocation held SET owner_id = work.owner_id FROM workloads_workload work
WHERE held.workload_id = ANY(%s::uuid[]) AND work.id = held.workload_id AND held.owner_id IS NULL
"""


def keep_owner(workloads: Iterable[UUID]) -> None:
    """Let past attempts of locked work stay their owner's, because the work gets another one."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP_OWNER, [format_array(workloads)])


def mark_lost(bound: Sequence[Allocation]) -> None:
    """Mark allocations as lost: the lease of their node is over. They are released next."""
    for item in bound:
        item.state = AllocationState.LOST.value
    _update_allocations(bound)


def apply_report(
    work: NodeAllocations, found: Reconciliation
) -> tuple[tuple[Allocation, ...], tuple[Allocation, ...]]:
    """Write what a node has reported of its containers.

    Returns the allocations that have ended, which must be given to `release_resources`, and those
    of which anything has changed.
    """
    moment, ends = now(), {end.key: end for end in found.ends}
    reports = {item.key: item for item in found.seen}
    over, changed = [], []
    for item in work.allocations:
        key = item.wire_name, item.epoch
        if end := ends.get(key):
            _end(item, end, moment)
            over.append(item)
        elif (report := reports.get(key)) and _copy_report(item, report, moment):
            changed.append(item)
    _bind_reserved(changed)
    _update_allocations([*over, *changed])
    return tuple(over), tuple(changed)


def release_resources(work: NodeAllocations, over: Collection[Allocation]) -> None:
    """Release devices and quota of ended allocations; the last step of their transaction.

    Quota rows are locked late, because all nodes and the scheduler contend for them.
    """
    held = [(work.workloads[item.workload_id], item) for item in over]
    _release_resources(
        held, max((item.released_at for item in over if item.released_at), default=now())
    )


def _copy_report(allocation: Allocation, report: SeenContainer, moment: datetime) -> bool:
    """Take the columns of a report; return whether any of them has changed."""
    columns = {name: getattr(report, name) for name in _REPORTED}
    # A notebook that answers began then, not with its container.
    begins = report.phase == Phase.RUNNING and report.is_ready and allocation.ready_at is None
    started_at = _past(report.started_at, moment) or allocation.started_at
    if begins or allocation.started_at is None:
        columns["started_at"] = started_at
    if begins:
        columns["ready_at"] = started_at or moment
    changes = {name: new for name, new in columns.items() if getattr(allocation, name) != new}
    for name, value in changes.items():
        setattr(allocation, name, value)
    return bool(changes)


def release_unsent(held: Sequence[tuple[Workload, Allocation]]) -> None:
    """Release allocations that were never sent to their node, with devices and quota."""
    moment = now()
    for _, item in held:
        _end(item, None, moment)
    _update_allocations([item for _, item in held])
    _release_resources(held, moment)


_RELEASE_DEVICES: Final = """
UPDATE workloads_allocationdevice SET claim_mode = NULL, released_at = greatest(%s, held_from)
WHERE allocation_id = ANY(%s) AND released_at IS NULL
"""


def _release_resources(held: Sequence[tuple[Workload, Allocation]], moment: datetime) -> None:
    """Release devices and quota of released allocations, count their GPU use, wake the scheduler."""
    if not held:
        return
    if with_devices := [item.pk for _, item in held if item.has_devices]:
        with connection.cursor() as cursor:
            cursor.execute(_RELEASE_DEVICES, [moment, with_devices])
    quotas.release_quota([_quota_use(workload, item) for workload, item in held])
    gpu_accounting.count_released(held, moment)
    wake_scheduler()
    invalidate_nodes(item.node_id for _, item in held)


def _end(allocation: Allocation, end: ProvenEnd | None, moment: datetime) -> None:
    allocation.state = AllocationState.RELEASED.value
    allocation.released_at = max(moment, allocation.created_at)
    allocation.exit_cause = end.cause if end else "not_started"
    allocation.progress_pct = None
    finished = moment
    if end is not None:
        allocation.exit_code = end.exit_code
        allocation.started_at = allocation.started_at or _past(end.started_at, moment)
        allocation.detail = end.detail
        finished = _past(end.finished_at, moment) or moment
    allocation.finished_at = max(finished, allocation.started_at or finished)
    since = allocation.gpus_since or allocation.created_at
    allocation.billed_until = max(allocation.finished_at, since)


def _past(millis: int | None, moment: datetime) -> datetime | None:
    """Return a time by the clock of a node, which may be ahead of ours."""
    return None if millis is None else min(from_millis(millis), moment)


def _quota_use(workload: Workload, allocation: Allocation) -> QuotaUse:
    amount = Resources(
        gpu=allocation.total_gpu_milli,
        gpu_memory=allocation.total_gpu_memory_mib,
        cpu=allocation.cpu_milli,
        memory=allocation.memory_mib,
    )
    return QuotaUse(
        workload.group_id,
        allocation.pool_id,
        workload.owner_id,
        amount,
        allocation.gpu_milli_by_model,
    )
