"""Commit a plan: the placements of a batch in one transaction, each re-checked under locks.

A batch locks every row that any of its placements touches, once and in the order of
`portal.common.locks.LOCK_ORDER`. Then it checks placement by placement, in plan order, against the
locked rows. One whose assumptions no longer hold is dropped alone. A single placement is a batch of one.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from portal.common.clock import now, to_millis
from portal.common.notifications import invalidate_nodes, wake_nodes
from portal.common.postgresql.arrays import format_array
from portal.identity.models import User
from portal.quotas import selectors as quota_selectors
from portal.quotas.counters import QuotaUse
from portal.quotas.services import QuotaReservations
from portal.tenancy.submitters import share_users
from portal.workloads.dependencies import unsatisfied_for_system
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import JobArray, Workload
from portal.workloads.snapshot.holds import queue_holds
from portal.workloads.state import allocations, transitions
from portal.workloads.state.budget_check import BudgetCheck
from portal.workloads.state.locked_rows import LockedWorkload
from portal.workloads.state.owner_check import OwnerCheck
from portal.workloads.state.placement_recheck import (
    AcceptedPlacement,
    BatchPools,
    PlacementRecheck,
)
from portal.workloads.state.reserved_check import ReservedCheck
from portal.workloads.state.volume_check import VolumeCheck
from portal.workloads.system_actors import SCHEDULER_ACTOR
from scheduler.core.model.entities import Millis, WorkloadId
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import HOLDING, WorkloadState


@transaction.atomic
def commit_placements(places: Sequence[PlannedStart]) -> Mapping[WorkloadId, PlacementRefusedError]:
    """Give queued workloads the devices that the plan has chosen, all ranks of each or none.

    Returns which placements were refused, and why; all others are written when this returns.
    """
    batch = _CommitBatch(places)
    refused: dict[WorkloadId, PlacementRefusedError] = {}
    accepted: list[AcceptedPlacement] = []
    for place in places:
        try:
            accepted.append(batch.accept(place))
        except PlacementRefusedError as error:
            refused[place.workload] = error
    _write_batch(batch, accepted)
    return refused


@transaction.atomic
def adopt_placement(place: PlannedStart) -> None:
    """Write the placement of a workload that runs already, as its nodes report it.

    Raises:
        PlacementRefusedError: a device or a quota does not allow it at present.
    """
    batch = _CommitBatch([place], is_adoption=True)
    _write_batch(batch, [batch.accept(place)])


class _CommitBatch:
    """The locked rows of a batch, with what it has accepted so far."""

    def __init__(self, places: Sequence[PlannedStart], *, is_adoption: bool = False) -> None:
        """Lock memberships, workloads, owners, quotas, budgets, nodes and cards, in this order."""
        ids = {UUID(place.workload) for place in places}
        self._is_adoption = is_adoption
        self._owners = None if is_adoption else OwnerCheck(ids)
        rows = Workload.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
        self._workloads = {str(row.id): row for row in LockedWorkload.read(rows)}
        workloads = tuple(self._workloads.values())
        self._still_held = _still_holding(ids)
        self._tasks = _TaskCounts(workloads)
        self._running = _RunningCounts(workloads)
        if self._owners is not None:
            self._owners.read(workloads)
        self.volumes = VolumeCheck(workloads)
        self._dependent = unsatisfied_for_system(
            [key for row in workloads for key in (row.id, row.array_id) if key is not None]
        )
        self._now = Millis(to_millis(now()))
        self._pools = BatchPools()
        self._uses = {workload.id: _no_use(workload) for workload in workloads}
        self.quotas = QuotaReservations(self._uses.values())
        self._budgets = BudgetCheck(workloads)
        placements = [item for place in places for item in place.placements]
        self._recheck = PlacementRecheck(placements, self._pools, is_adoption=is_adoption)
        self._reserved = ReservedCheck(placements)

    def accept(self, place: PlannedStart) -> AcceptedPlacement:
        """Check every assumption of one placement, and take what it needs.

        Raises:
            PlacementRefusedError: something has changed since the snapshot.
        """
        workload = self._workloads.get(place.workload)
        if workload is None:
            raise PlacementRefusedError("changed_meanwhile", state="")
        if workload.state != WorkloadState.QUEUED or workload.version != place.version:
            raise PlacementRefusedError("changed_meanwhile", state=workload.state)
        if workload.id in self._still_held:
            raise PlacementRefusedError("waiting_for_eviction")
        if self._owners is not None:
            self._owners.require(workload)
            self._require_may_start(workload)
        costs = self._recheck.rank_costs(workload, place.placements)
        use = replace(
            self._uses[workload.id],
            amount=sum((cost.amount for cost in costs), start=Resources()),
            gpu_milli_by_model=sum((Counter(cost.gpu_milli_by_model) for cost in costs), Counter()),
        )
        reason = self.quotas.find_refusal(use)
        if reason is None and not self._is_adoption:
            reason = self._budgets.find_refusal(workload)
        if reason is not None:
            raise PlacementRefusedError(reason.code.value, **reason.params)
        must_end_at = None if self._is_adoption else self._reserved.must_end_at(workload, place)
        self.volumes.place(workload, self._recheck.locked_nodes(place.placements))
        ranks = self._recheck.grant_ranks(workload, place.placements)
        self.quotas.reserve(use)
        self._budgets.commit(workload)
        self._tasks.count(workload)
        self._running.count(workload)
        self._still_held.add(workload.id)  # named twice in a plan, it is placed once
        return AcceptedPlacement(workload, ranks, costs, must_end_at)

    def _require_may_start(self, workload: LockedWorkload) -> None:
        """Refuse work that is held, waits for its time or another job, or runs as often as it may."""
        key = str(workload.array_id or workload.id)
        reasons = (
            *queue_holds(workload.held_by, workload.not_before, self._now),
            *self._dependent.get(key, ()),
        )
        for reason in reasons:
            raise PlacementRefusedError(reason.code.value, **reason.params)
        pool = self._pools[workload.pool_id]
        if not pool.is_open:
            raise PlacementRefusedError("pool_closed", pool=pool.name)
        self._tasks.require_slot(workload)
        self._running.require_slot(workload)


def _no_use(workload: LockedWorkload) -> QuotaUse:
    """Return where the workload counts, with nothing yet: its amount depends on the cards."""
    return QuotaUse(workload.group_id, workload.pool_id, workload.owner_id, Resources())


# One search by key for each: while the table has no statistics yet, PostgreSQL would read the index of
# all live allocations.
_STILL_HOLDING: Final = """
SELECT asked.id FROM unnest(%s::uuid[]) AS asked (id), LATERAL (
    SELECT bool_or(state IN ('reserved', 'bound', 'lost')) AS lives
    FROM workloads_allocation WHERE workload_id = asked.id
) held WHERE held.lives
"""


def _still_holding(ids: Collection[UUID]) -> set[UUID]:
    """Return which of these workloads have a live allocation, of any epoch."""
    with connection.cursor() as cursor:
        cursor.execute(_STILL_HOLDING, [format_array(ids)])
        return {key for (key,) in cursor.fetchall()}


_LIVE_TASKS: Final = """
SELECT work.array_id, count(DISTINCT work.id)
FROM workloads_allocation held JOIN workloads_workload work ON work.id = held.workload_id
WHERE held.state IN ('reserved', 'bound', 'lost') AND work.array_id = ANY(%s::uuid[])
GROUP BY 1
"""


class _TaskCounts:
    """How many tasks hold something, in arrays that limit how many run at once."""

    def __init__(self, workloads: Collection[LockedWorkload]) -> None:
        """Lock the arrays with such a limit, and count their tasks."""
        named = {row.array_id for row in workloads if row.array_id is not None}
        self._limits: dict[UUID, int] = {}
        self._running: Counter[UUID] = Counter()
        if not named:
            return
        arrays = JobArray.objects.filter(pk__in=named, running_max__isnull=False)
        locked = arrays.select_for_update(no_key=True).order_by("id")
        self._limits = {array.pk: array.running_max or 0 for array in locked}
        if self._limits:
            with connection.cursor() as cursor:
                cursor.execute(_LIVE_TASKS, [format_array(self._limits)])
                self._running.update(dict(cursor.fetchall()))

    def require_slot(self, workload: LockedWorkload) -> None:
        """Refuse one task more than its array allows to run at once."""
        array = workload.array_id
        if array in self._limits and self._running[array] >= self._limits[array]:
            params = {"used": self._running[array], "limit": self._limits[array]}
            raise PlacementRefusedError(ReasonCode.ARRAY_TASK_LIMIT.value, **params)

    def count(self, workload: LockedWorkload) -> None:
        """Count one more."""
        if workload.array_id is not None:
            self._running[workload.array_id] += 1


class _RunningCounts:
    """How many workloads each owner runs, where that number is limited."""

    def __init__(self, workloads: Collection[LockedWorkload]) -> None:
        """Lock the owners, and count what those run to whom a limit applies."""
        groups = {row.group_id for row in workloads}
        limits = quota_selectors.running_limits_for_system(groups)
        self._limits = {
            (row.group_id, row.owner_id): limit
            for row in workloads
            if (limit := limits.limit_of(row.group_id, row.owner_id)) is not None
        }
        self._running: Counter[tuple[UUID, UUID]] = Counter()
        everybody = {row.owner_id for row in workloads}
        if not self._limits:
            share_users(everybody)
            return
        # All of them by one statement: two batches that lock some after others could wait for each other.
        list(User.objects.filter(pk__in=everybody).select_for_update(no_key=True).order_by("id"))
        owners = {owner for _, owner in self._limits}
        running = Workload.objects.filter(owner__in=owners, group__in=groups, state__in=HOLDING)
        self._running.update(running.values_list("group", "owner"))

    def require_slot(self, workload: LockedWorkload) -> None:
        """Refuse one workload more than the member may run."""
        member = workload.group_id, workload.owner_id
        limit, running = self._limits.get(member), self._running[member]
        if limit is not None and running >= limit:
            raise PlacementRefusedError(
                "user_counter", counter="running", limit=limit, used=running
            )

    def count(self, workload: LockedWorkload) -> None:
        """Count one more."""
        self._running[workload.group_id, workload.owner_id] += 1


def _write_batch(batch: _CommitBatch, accepted: Sequence[AcceptedPlacement]) -> None:
    if not accepted:
        return
    batch.quotas.write()
    batch.volumes.write()
    transitions.start_workloads(
        [(item.workload, item.must_end_at) for item in accepted], actor=SCHEDULER_ACTOR
    )
    allocations.create_allocations(accepted)
    wake_nodes(grant.node.id for item in accepted for grant in item.ranks)
    invalidate_nodes(grant.node.id for item in accepted for grant in item.ranks)
