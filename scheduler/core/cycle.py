"""One scheduling cycle: a snapshot in, a plan out. No clock, no I/O, no randomness."""

from collections.abc import Iterator

from scheduler.core.actions.allocate import allocate_waiting
from scheduler.core.actions.borrow import borrow_capacity, split_off_victims
from scheduler.core.actions.evictions import plan_evictions
from scheduler.core.actions.start_inside import start_inside
from scheduler.core.actions.start_promised import start_promised
from scheduler.core.actions.take_deserved import take_deserved
from scheduler.core.explain.boards import build_boards
from scheduler.core.explain.holds import explain_waiting
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import Plan, PlannedStart
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.precedence import put_beneficiaries_first, split_off_deserved
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.ordering.work_classes import ClassedQueue
from scheduler.core.reservation.expected_start import HEAD, EstimateDepth
from scheduler.core.reservation.published import find_moved, keep_published
from scheduler.core.reservation.reservations import list_reservations


def run_cycle(snapshot: Snapshot, now: Millis, *, explained: bool = True) -> Plan:
    """Decide what starts where, and why everything else waits.

    The same snapshot gives the same plan, in whatever order its rows were read.
    """
    return decide(Ledger(snapshot), now, explained=explained)


def decide(ledger: Ledger, now: Millis, *, explained: bool = True) -> Plan:
    """Decide on what the ledger holds; what starts is allocated in it afterwards."""
    decision = Decision(ledger, now)
    decision.plan_starts()
    return decision.plan_rest(explained=explained)


class Decision:
    """One decision in two halves, so that a start can be committed while the next is decided.

    1. *Order* everything that waits: by fair share between groups and between members, by priority
       inside a group, then by age. Before that order goes what a group could reclaim anyway, and
       before everything the work for which other work is being evicted.
    2. *Start inside*: work for which an advance reservation is open starts on its devices.
    3. *Allocate*: in that order, start what its quotas allow and what fits. The first work of each
       pool that does not fit gets a reservation; behind it starts only what cannot delay it.
    4. *Borrow*: what does not fit into its own pool starts in a pool that lends to it. Work that was
       evicted for it comes after that.
    5. *Evict*: for work with a better right than work that runs, and for reservations about to begin,
       plan which work leaves.
    6. *Explain*: whatever still waits gets its position and its reasons, with numbers. A simulator
       that needs no reasons (`explained=False`) leaves this out.
    """

    def __init__(self, ledger: Ledger, now: Millis) -> None:
        """Begin a decision at `now`; nothing is decided yet."""
        self._ledger = ledger
        self._queue = ClassedQueue(())
        self._starts: list[PlannedStart] = []
        ledger.begin_decision(now)

    def plan_starts(self) -> tuple[PlannedStart, ...]:
        """Return all that `iterate_starts` yields; call one of the two once, before `plan_rest`."""
        return tuple(self.iterate_starts())

    def iterate_starts(self) -> Iterator[PlannedStart]:
        """Order, allocate, borrow: yield what starts now as soon as it is decided."""
        ledger = self._ledger
        queue = sort_queue(ledger.pending.values(), ledger.fair_share_state())
        deserved, rest = split_off_deserved(queue, ledger.quotas, ledger.pools)
        ledger.deserved = frozenset(work.id for work in deserved)
        queue = (*deserved, *rest)
        queue = put_beneficiaries_first(queue, ledger.stopping.values(), ledger.pool_of)
        self._queue = ClassedQueue(queue)
        keep_published(ledger)
        for start in self._decide_starts():
            self._starts.append(start)
            yield start

    def plan_rest(self, *, explained: bool = True, depth: EstimateDepth = HEAD) -> Plan:
        """Evict, explain: return the whole plan, with expected starts as deep as asked for."""
        ledger = self._ledger
        started = {start.workload for start in self._starts}
        plans = plan_evictions(self._queue, ledger, started, explained=explained)
        reservations = list_reservations(ledger, plans.cleared)
        moved = find_moved(ledger.published, reservations, ledger)
        ledger.published = reservations
        if not explained:
            starts = tuple(self._starts)
            return Plan(ledger.now, starts, plans.evictions, reservations, moved)
        waiting = [workload for workload in self._queue.works if workload.id not in started]
        return Plan(
            made_at=ledger.now,
            starts=tuple(self._starts),
            evictions=plans.evictions,
            reservations=reservations,
            moved=moved,
            holds=explain_waiting(waiting, ledger, plans, depth),
            boards=build_boards(ledger, waiting),
        )

    def _decide_starts(self) -> Iterator[PlannedStart]:
        inside = start_inside(self._queue.works, self._ledger)
        yield from inside
        promised = tuple(start_promised(self._ledger))
        yield from promised
        queue = self._queue
        if inside or promised:
            queue = ClassedQueue([work for work in queue.works if work.id in self._ledger.pending])
        for part in split_off_victims(queue, self._ledger):
            yield from allocate_waiting(part, self._ledger)
            yield from take_deserved(part.works, self._ledger)
            yield from borrow_capacity(part.works, self._ledger)
