"""The portal of the simulation after its database was restored from a backup.

It mirrors `portal.workloads.operations.recovery` and `portal.workloads.state.adoption`.
"""

from collections import defaultdict
from collections.abc import Container
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.workloads.state.forgotten import (
    EPOCH_GAP,
    Adoption,
    ContainerOrigin,
    ForgottenAttempt,
    KnownWorkload,
    decide_adoption,
    find_origin,
)
from scheduler.core.invariants.facts import DeviceFact
from scheduler.core.model.entities import AcceleratorId, NodeId, WorkloadId
from scheduler.core.model.states import TERMINAL, AllocationState, NodeState, WorkloadState
from tests.simulation.loop import SECOND
from tests.simulation.store import AllocationRow, NodeRow, RefusedError, Store, WorkloadRow
from wire.messages import Heartbeat, UnknownContainer
from wire.versions import LEASE_GRACE_S, LEASE_TTL_S
from wire.words import Device, SilenceTerm

if TYPE_CHECKING:
    from tests.simulation.server import Server

AttemptOnNode = tuple[NodeId, str, int]


@dataclass(slots=True)
class ForgottenRow:
    """A container that the database does not know."""

    node: NodeId
    name: str
    epoch: int
    devices: tuple[Device, ...] = ()
    was_over: bool = False
    """Its workload had ended when it was first reported."""
    is_stopped: bool = False
    """An operator has ordered its stop."""

    @property
    def workload(self) -> WorkloadId:
        """Return the workload that its name tells."""
        return WorkloadId(self.name.rsplit(".", 1)[0])

    @property
    def rank(self) -> int:
        """Return the rank that its name tells."""
        return int(self.name.rsplit(".", 1)[1])


@dataclass(slots=True)
class Recovery:
    """What a portal does that was restored, until every node has spoken."""

    server: "Server"
    began_at: int | None = None
    """None while no recovery is under way."""
    begun: int = 0
    """How many there were."""
    rows: dict[AttemptOnNode, ForgottenRow] = field(default_factory=dict)
    settled: set[AttemptOnNode] = field(default_factory=set)
    """Attempts that were adopted, or whose stop was decided."""
    given_up: set[NodeId] = field(default_factory=set)
    """Nodes whose work was given up without their word."""

    def begin(self, backup: Store) -> None:
        """Go on with the rows of a backup."""
        server = self.server
        server.store = store = deepcopy(backup)
        self.began_at, self.rows = server.loop.now, {}
        self.begun += 1
        for node in store.nodes.values():
            node.awaits_report = node.last_seq >= 0
            node.rival_boot_id, node.rival_seq = "", -1
            node.lease_until = server.loop.now + (LEASE_TTL_S + LEASE_GRACE_S) * SECOND
            if node.state is not NodeState.JOINING:
                node.state = NodeState.UNREADY
        for held in list(store.allocations):
            if held.state is AllocationState.RESERVED:
                store.change_allocation(held, AllocationState.BOUND)
                held.bound_at = server.loop.now
        for row in store.workloads.values():
            row.epoch_floor = row.epoch + EPOCH_GAP
            row.version += 1

    def holds_back(self, row: WorkloadRow) -> bool:
        """Tell whether a copy of the work may run of which no node has spoken yet."""
        if self.server.bugs.places_before_heard:
            return False
        is_older = self.began_at is not None and row.submitted_at <= self.began_at
        return is_older or any(found.workload == row.id for found in self.rows.values())

    def hear(self, node: NodeRow, heartbeat: Heartbeat, *, is_first: bool) -> None:
        """Note what the database does not know, and what has become of it."""
        held = {(row.name, row.epoch) for row in self.server.store.on_node(node.id)}
        is_listing = node.awaits_report or is_first
        reported = {(item.allocation, item.epoch): item for item in heartbeat.containers}
        if node.awaits_report:
            self._requeue_unstarted(node)
        node.awaits_report = False
        self._forget_gone(node.id, reported)
        for attempt, item in reported.items():
            key = (node.id, *attempt)
            if attempt in held:
                self.rows.pop(key, None)
            elif key in self.rows:
                self.rows[key].devices = item.devices
            elif is_listing and not self.server.bugs.stops_forgotten:
                self._note(ForgottenRow(node.id, *attempt))
        if not any(other.awaits_report for other in self.server.store.nodes.values()):
            self.began_at = None

    def _forget_gone(self, node: NodeId, reported: Container[tuple[str, int]]) -> None:
        for key, row in list(self.rows.items()):
            if row.node == node and (row.name, row.epoch) not in reported:
                del self.rows[key]

    def _requeue_unstarted(self, node: NodeRow) -> None:
        """Queue again what the node has not begun: it may run elsewhere in a later attempt."""
        for held in list(self.server.store.on_node(node.id)):
            work = self.server.store.workloads[held.workload]
            if not held.phase and self.server.held(held).is_wanted:
                self.server.store.move(work, WorkloadState.QUEUED, "not_started")

    def _note(self, row: ForgottenRow) -> None:
        work = self.server.store.workloads.get(row.workload)
        if find_origin(row.epoch, work.epoch if work else None) is ContainerOrigin.SUPERSEDED:
            return
        row.was_over = work is not None and work.state in TERMINAL
        self.rows[row.node, row.name, row.epoch] = row
        if work is not None:
            work.version += 1

    def left_alone(self, node: NodeId) -> list[UnknownContainer]:
        """Return what runs on although the database does not know it."""
        own = [(key, row) for key, row in self.rows.items() if row.node == node]
        self.settled |= {key for key, row in own if self._must_stop(row)}
        return [
            UnknownContainer(allocation=row.name, epoch=row.epoch)
            for key, row in own
            if key not in self.settled
        ]

    def is_forgotten(self, node: NodeId, name: str, epoch: int) -> bool:
        """Tell whether a container runs rightly of which the database knows nothing."""
        row = self.server.store.nodes[node]
        may_be = row.awaits_report or not row.boot_id or node in self.given_up
        return may_be or (node, name, epoch) in self.rows

    def _must_stop(self, row: ForgottenRow) -> bool:
        work = self.server.store.workloads.get(row.workload)
        is_decided = work is not None and work.state in TERMINAL and not row.was_over
        return row.is_stopped or is_decided

    def adopt(self) -> None:
        """Adopt every attempt of a known workload that nothing stands against."""
        attempts: dict[WorkloadId, dict[int, list[ForgottenRow]]] = defaultdict(dict)
        for row in self.rows.values():
            if row.workload in self.server.store.workloads and not row.is_stopped:
                attempts[row.workload].setdefault(row.epoch, []).append(row)
        for workload, found in attempts.items():
            for epoch, ranks in found.items():
                self._adopt(self.server.store.workloads[workload], epoch, ranks, max(found))

    def _adopt(self, work: WorkloadRow, epoch: int, ranks: list[ForgottenRow], latest: int) -> None:
        store = self.server.store
        live = len(store.live(work.id))
        known = KnownWorkload(work.state, work.epoch, work.request.replicas, live)
        needs = work.request.gpus or work.request.slices
        attempt = ForgottenAttempt(
            epoch,
            frozenset(row.rank for row in ranks),
            has_devices=all(row.devices or not needs for row in ranks),
        )
        if decide_adoption(known, attempt, latest_epoch=latest) is not Adoption.POSSIBLE:
            return
        amount = store.demand_of(work)
        fresh = [
            AllocationRow(
                work.id,
                row.rank,
                epoch,
                row.node,
                amount,
                tuple(_device(device, store) for device in row.devices),
                state=AllocationState.BOUND,
                bound_at=self.server.loop.now,
                silence=SilenceTerm.KEEP,
            )
            for row in ranks
        ]
        try:
            store.adopt(work, fresh, epoch)
        except RefusedError:
            return
        for row in ranks:
            del self.rows[row.node, row.name, row.epoch]
            self.settled.add((row.node, row.name, row.epoch))

    def stop_unadopted(self) -> None:
        """Do what an operator does about what cannot be adopted: stop it."""
        for row in self.rows.values():
            work = self.server.store.workloads.get(row.workload)
            row.is_stopped |= work is None or work.state in TERMINAL or self.began_at is None


def _device(device: Device, store: Store) -> DeviceFact:
    card = AcceleratorId(device.uuid.split("#")[0])
    return DeviceFact(card, device.slot, store.cards[card].slices)


def backup_of(store: Store) -> Store:
    """Return the rows as they are at this moment."""
    return deepcopy(replace(store))
