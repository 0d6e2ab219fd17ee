"""The database of the simulation: rows in memory, with the refusals that PostgreSQL makes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from portal.workloads.state.silence import effective_term
from scheduler.core.invariants.checks import EVICTION_CAUSES
from scheduler.core.invariants.facts import DeviceFact, EventFact
from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.entities import (
    AcceleratorId,
    AcceleratorView,
    GroupId,
    GroupView,
    NodeId,
    PoolId,
    PoolView,
    QuotaView,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import PlannedEviction, PlannedReservation, PlannedStart
from scheduler.core.model.request_cost import demand_per_replica
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.states import (
    ALLOCATION_TRANSITIONS,
    LIVE_ALLOCATION,
    PLACED,
    TERMINAL,
    AcceleratorState,
    AllocationState,
    NodeState,
    WorkloadState,
    is_legal_transition,
)
from tests.simulation.bugs import Bugs
from wire.words import SilenceTerm


class RefusedError(Exception):
    """The database or a re-check refused a write; nothing was changed."""


@dataclass(slots=True)
class WorkloadRow:
    """One workload; `job` says how its containers will behave."""

    id: WorkloadId
    is_notebook: bool
    group: GroupId
    user: UserId
    pool: PoolId
    request: Request
    priority: int
    submitted_at: int
    time_limit_s: int | None
    """None is an open end."""
    retries_max: int = 0
    state: WorkloadState = WorkloadState.QUEUED
    version: int = 0
    epoch: int = 0
    epoch_floor: int = 0
    """No attempt gets a lower epoch: nodes may know later ones than a restored database."""
    outcome: str = ""
    cause: str = ""
    retries: int = 0
    started_at: int | None = None
    preemptible: bool = False
    silence: str = ""
    yields_to: WorkloadId | None = None
    must_end_at: int | None = None
    """When an advance reservation needs what it holds, or its own ends."""
    is_held: bool = False
    after_any: WorkloadId | None = None
    """The job that must have ended before."""


@dataclass(slots=True)
class AllocationRow:
    """What one replica holds on one node."""

    workload: WorkloadId
    rank: int
    epoch: int
    node: NodeId
    amount: Resources
    devices: tuple[DeviceFact, ...]
    state: AllocationState = AllocationState.RESERVED
    phase: str = ""
    unwanted_seq: int | None = None
    bound_at: int = 0
    ended_well: bool = False
    grace_s: int | None = None
    silence: SilenceTerm = SilenceTerm.REPLACE

    @property
    def name(self) -> str:
        """Return its name on the wire."""
        return f"{self.workload}.{self.rank}"

    @property
    def is_live(self) -> bool:
        """Tell whether it still occupies capacity and quota."""
        return self.state in LIVE_ALLOCATION


@dataclass(slots=True)
class NodeRow:
    """One node as the portal knows it."""

    id: NodeId
    pool: PoolId
    cpu: int
    memory: int
    state: NodeState = NodeState.JOINING
    last_seq: int = -1
    last_seen_at: int = 0
    lease_until: int = 0
    boot_id: str = ""
    machine_id: str = ""
    rival_boot_id: str = ""
    rival_seq: int = -1
    is_quarantined: bool = False
    """Two hosts have used its identity: neither is heard any more."""
    instance: str = ""
    agent_since_seq: int = -1
    has_applied: bool = False
    challenge_seq: int = -1
    lost_boot_id: str = ""
    """The boot whose work was given up without its word."""
    awaits_report: bool = False
    """It has not spoken since the database was restored."""
    is_cordoned: bool = False
    """It came back after its work was given up, and no operator has looked at it yet."""


@dataclass(slots=True)
class Store:
    """All tables. Every method is one transaction: it happens whole or raises and changes nothing."""

    pools: tuple[PoolView, ...]
    groups: tuple[GroupView, ...]
    quotas: list[QuotaView]
    nodes: dict[NodeId, NodeRow] = field(default_factory=dict)
    cards: dict[AcceleratorId, AcceleratorView] = field(default_factory=dict)
    workloads: dict[WorkloadId, WorkloadRow] = field(default_factory=dict)
    allocations: list[AllocationRow] = field(default_factory=list)
    released: list[AllocationRow] = field(default_factory=list)
    events: list[EventFact] = field(default_factory=list)
    accepted: list[WorkloadId] = field(default_factory=list)
    reservations: list[AdvanceReservationView] = field(default_factory=list)
    published: tuple[PlannedReservation, ...] = ()
    """The reserved starts of the last pass."""
    writes: int = 0

    def live(self, workload_id: WorkloadId) -> list[AllocationRow]:
        """Return the live allocations of a workload, of any epoch."""
        return [row for row in self.allocations if row.workload == workload_id]

    def on_node(self, node: NodeId) -> list[AllocationRow]:
        """Return the live allocations of a node."""
        return [row for row in self.allocations if row.node == node]

    def attempt(self, row: WorkloadRow) -> list[AllocationRow]:
        """Return the allocations of the present epoch, released ones included."""
        both = (*self.allocations, *self.released)
        return [a for a in both if a.workload == row.id and a.epoch == row.epoch]

    def may_start(self, row: WorkloadRow) -> bool:
        """Tell whether nobody holds the work back, and what it depends on has ended."""
        awaited = self.workloads[row.after_any].state if row.after_any else None
        return not row.is_held and (awaited is None or awaited in TERMINAL)

    def has_queued(self) -> bool:
        """Tell whether anything waits for the scheduler."""
        return any(row.state is WorkloadState.QUEUED for row in self.workloads.values())

    def card_states(self, node: NodeId) -> dict[AcceleratorId, AcceleratorState]:
        """Return the recorded health of a node's cards."""
        return {card.id: card.state for card in self.cards.values() if card.node == node}

    def set_card_state(self, card: AcceleratorId, state: AcceleratorState) -> None:
        """Record the health of a card."""
        self.cards[card] = replace(self.cards[card], state=state)

    def insert(self, row: WorkloadRow) -> None:
        """Accept a submission."""
        self.workloads[row.id] = row
        self.accepted.append(row.id)
        self._log(row, None, row.state)

    def move(self, row: WorkloadRow, target: WorkloadState, cause: str = "") -> None:
        """Take one edge of the transition table, with its event."""
        if not is_legal_transition(row.state, target):
            raise RefusedError(f"{row.id}: {row.state} -> {target} ({cause})")
        source, row.state = row.state, target
        row.version += 1
        row.cause = cause
        self._log(row, source, target)

    def set_hold(self, row: WorkloadRow, *, is_held: bool) -> None:
        """Hold or release queued work; a plan from before is stale."""
        row.is_held = is_held
        row.version += 1
        self.writes += 1

    def place(self, place: PlannedStart, bugs: Bugs) -> None:
        """Reserve everything a plan gives to one workload, or refuse."""
        row = self.workloads[place.workload]
        if row.state is not WorkloadState.QUEUED or row.version != place.version:
            raise RefusedError("stale plan")
        if self.live(row.id) and not bugs.places_before_gone:
            raise RefusedError("an earlier attempt still holds something")
        if not (self.may_start(row) or bugs.starts_held_work):
            raise RefusedError("held")
        pool = next(pool for pool in self.pools if pool.id == row.pool)
        amount = self.demand_of(row)
        taken = {(d.accelerator, d.slot) for a in self.allocations for d in a.devices}
        fresh = []
        keeps_epoch = bugs.epoch_stays or (
            bugs.eviction_keeps_epoch and row.cause in EVICTION_CAUSES
        )
        above = row.epoch + 1 if bugs.epochs_are_reused else max(row.epoch + 1, row.epoch_floor)
        epoch = row.epoch if keeps_epoch and row.epoch else above
        last = -1 if bugs.splits_gangs and len(place.placements) > 1 else None
        for rank, placement in enumerate(place.placements[:last]):
            if self.nodes[placement.node].state is not NodeState.READY:
                raise RefusedError("node is not ready")
            if taken & set(placement.devices):
                raise RefusedError("card is taken")
            taken |= set(placement.devices)
            devices = tuple(
                DeviceFact(card, slot, self.cards[card].slices) for card, slot in placement.devices
            )
            fresh.append(
                AllocationRow(
                    row.id,
                    rank,
                    epoch,
                    placement.node,
                    amount,
                    devices,
                    silence=effective_term(pool.policy.silence, row.silence),
                )
            )
        if bugs.ignores_quota:
            self._add_use(row, amount.times(len(fresh)), 1)
        else:
            self._charge(row, amount.times(len(fresh)))
        row.epoch, row.yields_to = epoch, None
        row.must_end_at = self._must_end_at(place)
        self.allocations += fresh
        self.move(row, WorkloadState.PLACING)

    def demand_of(self, row: WorkloadRow) -> Resources:
        """Return what one replica takes in its pool."""
        pool = next(pool for pool in self.pools if pool.id == row.pool)
        return demand_per_replica(row.request, pool)

    def adopt(self, row: WorkloadRow, fresh: list[AllocationRow], epoch: int) -> None:
        """Give a workload what an attempt holds that the database had forgotten, or refuse."""
        taken = {(d.accelerator, d.slot) for a in self.allocations for d in a.devices}
        if any((d.accelerator, d.slot) in taken for a in fresh for d in a.devices):
            raise RefusedError("card is taken")
        self._charge(row, fresh[0].amount.times(len(fresh)))
        if row.state is WorkloadState.SUSPENDED:
            row.started_at = None
            self.move(row, WorkloadState.QUEUED, "adopted")
        row.epoch, row.yields_to, row.is_held = epoch, None, False
        self.allocations += fresh
        self.move(row, WorkloadState.PLACING, "adopted")

    def _must_end_at(self, place: PlannedStart) -> int | None:
        """Return when a window ends inside which it starts, or when the next of its devices begins."""
        devices = {device for placement in place.placements for device in placement.devices}
        ends = []
        for each in self.reservations:
            if each.id == place.reservation:
                ends += [window.end for window in each.windows]
            elif not (place.reservation or self.workloads[place.workload].preemptible) and any(
                (card, slot) in devices for _, card, slot in each.devices
            ):
                ends += [window.start for window in each.windows]
        return min(ends, default=None)

    def evict(self, evict: PlannedEviction, bugs: Bugs) -> WorkloadRow:
        """Queue running work again because a plan says so, or refuse."""
        row = self.workloads[evict.workload]
        if row.state not in PLACED or row.version != evict.version:
            raise RefusedError("stale plan")
        if not (row.preemptible or bugs.evicts_anybody):
            raise RefusedError("may not be stopped")
        waits = evict.beneficiary is None or self.workloads[evict.beneficiary].state
        if waits not in {True, WorkloadState.QUEUED}:
            raise RefusedError("nobody waits")
        for held in self.live(row.id):
            held.grace_s = evict.grace_s
        row.yields_to = evict.beneficiary
        self.move(row, WorkloadState.QUEUED, evict.cause)
        return row

    def change_allocation(self, row: AllocationRow, target: AllocationState) -> None:
        """Take one edge of the allocation table; releasing gives quota back."""
        if target not in ALLOCATION_TRANSITIONS[row.state]:
            raise RefusedError(f"{row.name}@{row.epoch}: {row.state} -> {target}")
        row.state = target
        self.writes += 1
        if target is AllocationState.RELEASED:
            self.allocations.remove(row)
            self.released.append(row)
            self._credit(self.workloads[row.workload], row.amount)

    def user_uses(self) -> dict[tuple[UserId, GroupId, PoolId | None, Resource], int]:
        """Return what each user holds against each quota row."""
        uses: dict[tuple[UserId, GroupId, PoolId | None, Resource], int] = {}
        for allocation in self.allocations:
            row = self.workloads[allocation.workload]
            for quota in self.above(row):
                key = (row.user, quota.group, quota.pool, quota.resource)
                uses[key] = uses.get(key, 0) + allocation.amount.get(quota.resource)
        return uses

    def above(self, row: WorkloadRow) -> Iterator[QuotaView]:
        """Yield the quota rows that a workload counts against."""
        path = next(group.path for group in self.groups if group.id == row.group)
        for quota in self.quotas:
            if quota.group in path and quota.pool in (None, row.pool):
                yield quota

    def _charge(self, row: WorkloadRow, amount: Resources) -> None:
        uses = self.user_uses()
        for quota in self.above(row):
            more = amount.get(quota.resource)
            held = uses.get((row.user, quota.group, quota.pool, quota.resource), 0)
            if quota.ceiling is not None and quota.used + more > quota.ceiling:
                raise RefusedError("quota")
            if quota.user_ceiling is not None and held + more > quota.user_ceiling:
                raise RefusedError("user quota")
        self._add_use(row, amount, 1)

    def _credit(self, row: WorkloadRow, amount: Resources) -> None:
        self._add_use(row, amount, -1)

    def _add_use(self, row: WorkloadRow, amount: Resources, sign: int) -> None:
        charged = list(self.above(row))
        self.quotas = [
            replace(quota, used=quota.used + sign * amount.get(quota.resource))
            if quota in charged
            else quota
            for quota in self.quotas
        ]

    def _log(self, row: WorkloadRow, source: WorkloadState | None, target: WorkloadState) -> None:
        self.writes += 1
        self.events.append(EventFact(row.id, source, target, row.epoch, row.cause))
