"""The portal of the simulation: the real decisions, on rows in memory.

`run_cycle`, `reconcile_node` and `decide_next_states` are the production code; what is written here
mirrors `portal.workloads.state.lifecycle`, `portal.config.node_reports` and the sweep, line for line
where it matters: every method is one transaction.
"""

from collections.abc import Container
from dataclasses import replace

from portal.common.work_kinds import JOB, NOTEBOOK
from portal.workloads.retry import AttemptHistory, parse_restart_policy
from portal.workloads.state.reconcile import (
    HeldAllocation,
    NextStates,
    ObservedWorkload,
    Proof,
    ProvenEnd,
    decide_next_states,
    end_silent,
    reconcile_node,
)
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, NodeId, WorkloadId
from scheduler.core.model.states import (
    PLACED,
    AcceleratorState,
    AllocationState,
    NodeState,
    WorkloadState,
)
from tests.simulation.boots import BootGuard
from tests.simulation.bugs import Bugs
from tests.simulation.loop import SECOND, Loop
from tests.simulation.replies import Replies
from tests.simulation.restoring import Recovery
from tests.simulation.snapshot import snapshot_of
from tests.simulation.store import AllocationRow, NodeRow, RefusedError, Store, WorkloadRow
from tests.simulation.translation import report_of
from wire.messages import Desired, Heartbeat
from wire.versions import HEARTBEAT_S, LEASE_GRACE_S, LEASE_TTL_S
from wire.words import SilenceTerm

UNREPORTED_MAX_S = 60
REQUEUE_GRACE_S = 20
_HEALTH = {
    "ok": AcceleratorState.OK,
    "dirty": AcceleratorState.DIRTY,
    "bad": AcceleratorState.SUSPECT,
    "gone": AcceleratorState.GONE,
}


class Server:
    """Everything the portal does with a node's word, a user's wish and the passing of time."""

    def __init__(self, loop: Loop, store: Store, bugs: Bugs) -> None:
        self.loop = loop
        self.store = store
        self.bugs = bugs
        self.is_up = True
        self.boots = BootGuard(self)
        self.recovery = Recovery(self)
        self.replies = Replies(self)
        self.requeues_unreported = loop.chance(50)
        """Half of the seeds do without this second net, so that the first one is seen to hold."""

    # --- The node's word -----------------------------------------------------------------------

    def receive(self, node_id: NodeId, heartbeat: Heartbeat) -> Desired | None:
        """Take a heartbeat and answer with the full desired state; None when it is dropped."""
        node = self.store.nodes[node_id]
        if not self.is_up or not self.boots.accepts(node, heartbeat):
            return None
        is_first, is_new_boot = not node.boot_id, node.boot_id not in ("", heartbeat.boot_id)
        self.boots.record(node, heartbeat)
        node.last_seq, node.last_seen_at = heartbeat.seq, self.loop.now
        node.state = NodeState.CORDONED if node.is_cordoned else NodeState.READY
        self._see_cards(node_id, heartbeat)
        rows = [row for row in self.store.on_node(node_id) if row.state is AllocationState.BOUND]
        settlement = reconcile_node(
            tuple(self.held(row) for row in rows), report_of(heartbeat, is_new_boot=is_new_boot)
        )
        by_key = {(row.name, row.epoch): row for row in rows}
        for seen in settlement.seen:
            by_key[seen.key].phase = seen.phase
        self._let_go([(by_key[gone.key], gone) for gone in settlement.ends])
        self._conclude_all({row.workload for row in rows}, settlement.ends)
        self.recovery.hear(node, heartbeat, is_first=is_first)
        unknown = self.recovery.left_alone(node_id)
        reply = self.replies.build(node, heartbeat, settlement.acks, unknown)
        ttl = 0 if self.bugs.no_lease_wait else LEASE_TTL_S + LEASE_GRACE_S
        node.lease_until = self.loop.now + ttl * SECOND
        return reply

    def held(self, row: AllocationRow) -> HeldAllocation:
        """Return an allocation as the decisions take it."""
        work = self.store.workloads[row.workload]
        is_wanted = work.state in PLACED and work.epoch == row.epoch
        phase = "running" if self.bugs.silence_is_proof else row.phase
        is_sent = row.state is not AllocationState.RESERVED
        return HeldAllocation(
            row.name, row.epoch, is_wanted, phase, row.unwanted_seq, row.silence, is_sent
        )

    def _see_cards(self, node_id: NodeId, heartbeat: Heartbeat) -> None:
        reported = {card.uuid: _HEALTH[card.health] for card in heartbeat.facts.accelerators}
        for card_id, state in self.store.card_states(node_id).items():
            told = reported.get(card_id, AcceleratorState.GONE)
            if told is not state:
                self.store.set_card_state(card_id, told)

    # --- The user's wish -----------------------------------------------------------------------

    def stop(self, workload_id: WorkloadId, outcome: WorkloadState, cause: str) -> None:
        """End a workload: at once when it holds nothing, else when the nodes say so."""
        if outcome is WorkloadState.CANCELLED and (
            row := self._find(workload_id, {WorkloadState.STOPPING})
        ):
            row.outcome, row.cause = outcome.value, cause
        row = self._find(workload_id, PLACED | {WorkloadState.QUEUED})
        if row is None:
            return
        if not self.store.live(row.id):
            self.store.move(row, outcome, cause)
            return
        row.outcome = outcome.value
        self.store.move(row, WorkloadState.STOPPING, cause)
        self._drop_unsent(row)
        if self.bugs.frees_at_stop_request:
            self._let_go([(held, _unproven(held)) for held in self.store.live(row.id)])
        self._conclude_all({row.id}, ())

    def start(self, workload_id: WorkloadId) -> None:
        """Queue a suspended notebook again."""
        if row := self._find(workload_id, {WorkloadState.SUSPENDED}):
            row.started_at = None
            self.store.move(row, WorkloadState.QUEUED, "start")

    def hold(self, workload_id: WorkloadId) -> None:
        """Keep queued work from starting."""
        row = self._find(workload_id, {WorkloadState.QUEUED})
        if row and not row.is_held:
            self.store.set_hold(row, is_held=True)

    def release(self, workload_id: WorkloadId) -> None:
        """Let held work start."""
        row = self.store.workloads.get(workload_id)
        if row and row.is_held:
            self.store.set_hold(row, is_held=False)

    def requeue(self, workload_id: WorkloadId) -> None:
        """Stop placed work after a notice and queue it again."""
        if row := self._find(workload_id, PLACED):
            for held in self.store.live(row.id):
                held.grace_s = REQUEUE_GRACE_S
            self.store.move(row, WorkloadState.QUEUED, "requeued")
            self._let_leave(row)

    def _find(
        self, workload_id: WorkloadId, states: Container[WorkloadState]
    ) -> WorkloadRow | None:
        """Return a workload in one of these states; a restored portal may not know it."""
        row = self.store.workloads.get(workload_id)
        return row if row is not None and row.state in states else None

    # --- The passing of time -------------------------------------------------------------------

    def run_pass(self) -> int:
        """Run one scheduling pass and commit each decision by itself; return how many stood."""
        if not self.is_up or not self.store.has_queued():
            return 0
        stood = 0
        snapshot = snapshot_of(self.store, self.loop.now, self.bugs, self.recovery.holds_back)
        if self.bugs.ignores_quota:
            snapshot = replace(snapshot, quotas=())
        plan = run_cycle(snapshot, Millis(self.loop.now))
        self.store.published = plan.reservations
        for place in plan.starts:
            try:
                self.store.place(place, self.bugs)
            except RefusedError:
                continue
            stood += 1
        for evict in plan.evictions:
            try:
                evicted = self.store.evict(evict, self.bugs)
            except RefusedError:
                continue
            self._let_leave(evicted)
            stood += 1
        return stood

    def _let_leave(self, evicted: WorkloadRow) -> None:
        self._drop_unsent(evicted)
        if self.bugs.frees_at_eviction:
            self._let_go([(held, _unproven(held)) for held in self.store.live(evicted.id)])

    def sweep(self) -> None:
        """Act on silence and on time limits."""
        if not self.is_up:
            return
        self._judge_silence()
        self.recovery.adopt()
        self._end_over_time()
        if self.requeues_unreported:
            self._requeue_unreported()

    def _judge_silence(self) -> None:
        now = self.loop.now
        for node in self.store.nodes.values():
            silent = now - node.last_seen_at
            is_heard = node.state in {NodeState.READY, NodeState.CORDONED}
            if is_heard and silent > 3 * HEARTBEAT_S * SECOND:
                node.state = NodeState.UNREADY
            if node.state is NodeState.UNREADY and now > node.lease_until:
                node.state = NodeState.LOST
            if node.state is NodeState.LOST:
                gives_all = self.bugs.gives_up_kept
                self.end_work_of(node, Proof.DECLARED_LOST if gives_all else Proof.LEASE_OVER)

    def _end_over_time(self) -> None:
        now = self.loop.now
        for row in list(self.store.workloads.values()):
            limit_s = row.time_limit_s
            is_over = limit_s is not None and now > (row.started_at or now) + limit_s * SECOND
            if row.state in PLACED and row.must_end_at is not None and now >= row.must_end_at:
                self._end_for_reservation(row)
            elif row.state is WorkloadState.RUNNING and is_over and not self._is_kept(row):
                self._end_at_limit(row)

    def _end_at_limit(self, row: WorkloadRow) -> None:
        for held in self.store.live(row.id):
            held.grace_s = self.replies.grace_s
        outcome = WorkloadState.SUSPENDED if row.is_notebook else WorkloadState.EXPIRED
        self.stop(row.id, outcome, "time_limit")

    def _end_for_reservation(self, row: WorkloadRow) -> None:
        if row.preemptible:
            self.store.move(row, WorkloadState.QUEUED, "reserved")
            self._let_leave(row)
            return
        outcome = WorkloadState.SUSPENDED if row.is_notebook else WorkloadState.EXPIRED
        self.stop(row.id, outcome, "reservation_over")

    def _is_kept(self, row: WorkloadRow) -> bool:
        """Tell whether a silent node ends this work at its limit itself."""
        since = self.loop.now - 3 * HEARTBEAT_S * SECOND
        return any(
            held.silence is SilenceTerm.KEEP
            and held.state is AllocationState.BOUND
            and self.store.nodes[held.node].last_seen_at <= since
            for held in self.store.live(row.id)
        )

    def _requeue_unreported(self) -> None:
        """Give up what a node was told of a minute ago and has never reported."""
        since = self.loop.now - UNREPORTED_MAX_S * SECOND
        for held in list(self.store.allocations):
            work = self.store.workloads[held.workload]
            is_silent = held.state is AllocationState.BOUND and not held.phase
            is_heard = self.store.nodes[held.node].state is NodeState.READY
            if is_silent and is_heard and held.bound_at <= since and self.held(held).is_wanted:
                self.store.move(work, WorkloadState.QUEUED, "not_started")
                self._drop_unsent(work)

    def end_work_of(self, node: NodeRow, proof: Proof) -> list[AllocationRow]:
        """End the work of a silent node that a proof concerns, and return it."""
        held = {(row.name, row.epoch): row for row in self.store.on_node(node.id)}
        gone = end_silent(tuple(self.held(row) for row in held.values()), proof)
        ends = [(held[end.key], end) for end in gone]
        for row, _ in ends:
            if row.state is AllocationState.BOUND:
                self.store.change_allocation(row, AllocationState.LOST)
        self._let_go(ends)
        self._conclude_all({row.workload for row, _ in ends}, gone)
        return [row for row, _ in ends]

    # --- What follows for the work -------------------------------------------------------------

    def _let_go(self, ends: list[tuple[AllocationRow, ProvenEnd]]) -> None:
        for row, gone in ends:
            row.ended_well = gone.ended_well
            self.store.change_allocation(row, AllocationState.RELEASED)

    def _drop_unsent(self, work: WorkloadRow) -> None:
        for row in self.store.live(work.id):
            if row.state is AllocationState.RESERVED:
                self.store.change_allocation(row, AllocationState.RELEASED)

    def _conclude_all(self, touched: set[WorkloadId], gone: tuple[ProvenEnd, ...]) -> None:
        for workload_id in sorted(touched):
            row = self.store.workloads[workload_id]
            own = {(f"{row.id}.{rank}", row.epoch) for rank in range(row.request.replicas)}
            self._conclude(row, tuple(fact for fact in gone if fact.key in own))

    def _conclude(self, row: WorkloadRow, gone: tuple[ProvenEnd, ...]) -> None:
        conclusion = decide_next_states(self._work(row), gone)
        if self.bugs.cancel_loses and row.state is WorkloadState.STOPPING:
            conclusion = _without_a_will(row, gone) or conclusion
        if conclusion is None:
            return
        for target in conclusion.path:
            self.store.move(row, target, conclusion.cause)
            if target is WorkloadState.RUNNING:
                row.started_at = self.loop.now
        row.retries += conclusion.counts_retry
        row.outcome = conclusion.outcome
        if row.state not in PLACED:
            self._drop_unsent(row)
        if row.state is WorkloadState.STOPPING and not self.store.live(row.id):
            self._conclude(row, ())

    def _work(self, row: WorkloadRow) -> ObservedWorkload:
        live = self.store.live(row.id)
        ranks = [r for r in self.store.attempt(row) if r.epoch == row.epoch]
        over = [r for r in ranks if not r.is_live]
        return ObservedWorkload(
            terms=NOTEBOOK if row.is_notebook else JOB,
            state=row.state,
            outcome=row.outcome,
            replicas=row.request.replicas,
            live=len(live),
            seen=sum(1 for r in ranks if r.phase) + sum(1 for r in over if not r.phase),
            up=sum(1 for r in ranks if r.is_live and r.phase == "running")
            + sum(1 for r in over if r.ended_well),
            past=AttemptHistory(row.retries, row.epoch),
            policy=parse_restart_policy({}, row.retries_max),
            time_limit_s=row.time_limit_s or 0,
        )


def _without_a_will(row: WorkloadRow, gone: tuple[ProvenEnd, ...]) -> NextStates | None:
    """Let a clean end decide although a cancel was asked for: the planted bug."""
    is_clean = bool(gone) and all(fact.ended_well for fact in gone)
    is_over = is_clean and len(gone) == row.request.replicas
    return NextStates((WorkloadState.SUCCEEDED,)) if is_over else None


def _unproven(row: AllocationRow) -> ProvenEnd:
    return ProvenEnd(row.name, row.epoch, Proof.NEVER_STARTED, "not_started")
