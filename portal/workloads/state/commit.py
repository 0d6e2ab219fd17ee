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
from portal.workloads.state.reserved_check import ReservedCheck
from portal.workloads.system_actors import SCHEDULER_ACTOR
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import PlannedStart
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


class _CommitBatch:
    """The locked rows of a batch, with what it has accepted so far."""

    def __init__(self, places: Sequence[PlannedStart]) -> None:
        """Lock workloads, owners, quotas, budgets, nodes and cards, in this order."""
        ids = {UUID(place.workload) for place in places}
        rows = Workload.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("id")
        self._workloads = {str(row.id): row for row in LockedWorkload.read(rows)}
        workloads = tuple(self._workloads.values())
        self._still_held = _still_holding(ids)
        self._running = _RunningCounts(workloads)
        self._pools = BatchPools()
        self._uses = {workload.id: _no_use(workload) for workload in workloads}
        self.quotas = QuotaReservations(self._uses.values())
        self._budgets = BudgetCheck(workloads)
        placements = [item for place in places for item in place.placements]
        self._recheck = PlacementRecheck(placements, self._pools)
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
        pool = self._pools[workload.pool_id]
        if not pool.is_open:
            raise PlacementRefusedError("pool_closed", pool=pool.name)
        self._running.require_slot(workload)
        costs = self._recheck.rank_costs(workload, place.placements)
        use = replace(self._uses[workload.id], amount=sum(costs, start=Resources()))
        reason = self.quotas.find_refusal(use) or self._budgets.find_refusal(workload)
        if reason is not None:
            raise PlacementRefusedError(reason.code.value, **reason.params)
        must_end_at = self._reserved.must_end_at(workload, place)
        ranks = self._recheck.grant_ranks(workload, place.placements)
        self.quotas.reserve(use)
        self._budgets.commit(workload)
        self._running.count(workload)
        self._still_held.add(workload.id)  # named twice in a plan, it is placed once
        return AcceptedPlacement(workload, ranks, costs, must_end_at)


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


class _RunningCounts:
    """How many workloads each owner runs, in groups that limit that number."""

    def __init__(self, workloads: Collection[LockedWorkload]) -> None:
        """Lock the owners to whom a limit applies, and count what they run."""
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
        """Refuse one workload more than the group allows each member to run."""
        limit = self._limits.get(workload.group_id)
        running = self._running[workload.owner_id, workload.group_id]
        if limit is not None and running >= limit:
            raise PlacementRefusedError(
                "user_counter", counter="running", limit=limit, used=running
            )

    def count(self, workload: LockedWorkload) -> None:
        """Count one more."""
        self._running[workload.owner_id, workload.group_id] += 1


def _write_batch(batch: _CommitBatch, accepted: Sequence[AcceptedPlacement]) -> None:
    if not accepted:
        return
    batch.quotas.write()
    transitions.start_workloads(
        [(item.workload, item.must_end_at) for item in accepted], actor=SCHEDULER_ACTOR
    )
    allocations.create_allocations(accepted)
    wake_nodes(grant.node.id for item in accepted for grant in item.ranks)
    invalidate_topics([NODES_TOPIC])
