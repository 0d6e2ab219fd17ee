"""Placements written in batches: many decisions of one plan in one transaction, each re-checked.

A batch locks everything that any of its decisions touches, once and in the order of
`portal.common.locks.LOCK_ORDER`, and then re-checks decision by decision, in plan order, against
what it locked.
One that does not hold any more is dropped alone. A single placement is a batch of one.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from portal.common.actor import Actor
from portal.common.arrays import format_array
from portal.common.notifications import NODES_TOPIC, invalidate_topics, wake_nodes
from portal.identity.models import User
from portal.quotas import selectors as quota_selectors
from portal.quotas.counters import QuotaUse
from portal.quotas.services import QuotaReservations
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Workload
from portal.workloads.state import allocations, transitions
from portal.workloads.state.budget_check import BudgetCheck
from portal.workloads.state.placement_recheck import (
    AcceptedPlacement,
    BatchPools,
    LockedWorkload,
    PlacementRecheck,
)
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.resources import Resources
from scheduler.core.model.states import HOLDING, WorkloadState

SCHEDULER = Actor.system("scheduler")


@transaction.atomic
def commit_placements(places: Sequence[PlannedStart]) -> Mapping[WorkloadId, PlacementRefusedError]:
    """Give queued workloads what the scheduler chose for them, all ranks of each or none.

    Returns what had to be refused, and why; everything else is written when this returns.
    """
    batch = _CommitBatch(places)
    refused: dict[WorkloadId, PlacementRefusedError] = {}
    granted: list[AcceptedPlacement] = []
    for place in places:
        try:
            granted.append(batch.accept(place))
        except PlacementRefusedError as error:
            refused[place.workload] = error
    _write_batch(batch, granted)
    return refused


class _CommitBatch:
    """The locked rows behind a batch, with what it has granted so far."""

    def __init__(self, places: Sequence[PlannedStart]) -> None:
        """Lock workloads, owners, quotas, budgets, nodes and cards, in this order."""
        ids = {UUID(place.workload) for place in places}
        rows = Workload.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
        columns = rows.values_list(*LockedWorkload._fields)
        self._workloads = {str(row[0]): LockedWorkload(*row) for row in columns}
        workloads = tuple(self._workloads.values())
        self._still_held = _still_holding(ids)
        self._running = _RunningCounts(workloads)
        self._pools = BatchPools()
        self._uses = {workload.id: _no_use(workload) for workload in workloads}
        self.quotas = QuotaReservations(self._uses.values())
        self._spending = BudgetCheck(workloads)
        self._ground = PlacementRecheck(
            [item for place in places for item in place.placements], self._pools
        )

    def accept(self, place: PlannedStart) -> AcceptedPlacement:
        """Check everything that one decision has assumed, and take what it needs."""
        workload = self._workloads.get(place.workload)
        if workload is None:
            raise PlacementRefusedError("changed_meanwhile", state="")
        if workload.state != WorkloadState.QUEUED or workload.version != place.version:
            raise PlacementRefusedError("changed_meanwhile", state=workload.state)
        if workload.id in self._still_held:
            raise PlacementRefusedError("waiting_for_eviction")
        pool = self._pools[workload.pool_id]
        if not pool.is_open:
            raise PlacementRefusedError("pool_closed", pool=pool.name)
        self._running.require_slot(workload)
        costs = self._ground.rank_costs(workload, place.placements)
        use = replace(self._uses[workload.id], amount=sum(costs, start=Resources()))
        reason = self.quotas.find_refusal(use) or self._spending.find_refusal(workload)
        if reason is not None:
            raise PlacementRefusedError(reason.code.value, **reason.params)
        claims = self._ground.grant_ranks(workload, place.placements)
        self.quotas.reserve(use)
        self._spending.commit(workload)
        self._running.count(workload)
        self._still_held.add(workload.id)  # a plan that names it twice gets it once
        return AcceptedPlacement(workload, claims, costs)


def _no_use(workload: LockedWorkload) -> QuotaUse:
    """Return where the workload counts, with nothing yet: its amount depends on the cards."""
    return QuotaUse(workload.group_id, workload.pool_id, workload.owner_id, Resources())


# One search by key for each: of a table that nobody has analyzed, PostgreSQL would rather read all
# that live.
_STILL_HOLDING: Final = """
SELECT asked.id FROM unnest(%s::uuid[]) AS asked (id), LATERAL (
    SELECT bool_or(state IN ('reserved', 'bound', 'lost')) AS lives
    FROM workloads_allocation WHERE workload_id = asked.id
) held WHERE held.lives
"""


def _still_holding(ids: Collection[UUID]) -> set[UUID]:
    """Return which of these workloads hold something still, of any epoch."""
    with connection.cursor() as cursor:
        cursor.execute(_STILL_HOLDING, [format_array(ids)])
        return {key for (key,) in cursor.fetchall()}


class _RunningCounts:
    """How many workloads each owner runs in the groups that limit it."""

    def __init__(self, workloads: Collection[LockedWorkload]) -> None:
        """Lock the owners that are limited, and count what they run."""
        groups = {row.group_id for row in workloads}
        self._limits = quota_selectors.running_limits_for_system(groups)
        limited = [row for row in workloads if row.group_id in self._limits]
        self._running: Counter[tuple[UUID, UUID]] = Counter()
        if not limited:
            return
        owners = {row.owner_id for row in limited}
        list(User.objects.filter(pk__in=owners).select_for_update(no_key=True).order_by("id"))
        running = Workload.objects.filter(
            owner__in=owners, group__in=self._limits, state__in=HOLDING
        )
        self._running.update(running.values_list("owner", "group"))

    def require_slot(self, workload: LockedWorkload) -> None:
        """Hold the owner's number of running workloads to the group's limit."""
        limit = self._limits.get(workload.group_id)
        running = self._running[workload.owner_id, workload.group_id]
        if limit is not None and running >= limit:
            raise PlacementRefusedError(
                "user_counter", counter="running", limit=limit, used=running
            )

    def count(self, workload: LockedWorkload) -> None:
        """Note one more."""
        self._running[workload.owner_id, workload.group_id] += 1


def _write_batch(batch: _CommitBatch, granted: Sequence[AcceptedPlacement]) -> None:
    if not granted:
        return
    batch.quotas.write()
    transitions.start_workloads([item.workload for item in granted], actor=SCHEDULER)
    allocations.create_allocations(granted)
    wake_nodes(claim.node.id for item in granted for claim in item.ranks)
    invalidate_topics([NODES_TOPIC])
