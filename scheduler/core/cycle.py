"""One scheduling cycle: a snapshot in, a plan out. No clock, no I/O, no chance."""

from typing import Final

from scheduler.core.actions.allocate import allocate_waiting
from scheduler.core.actions.borrow import borrow_capacity
from scheduler.core.actions.evictions import plan_evictions
from scheduler.core.explain.boards import build_boards
from scheduler.core.explain.holds import explain_waiting
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.precedence import put_beneficiaries_first, put_deserved_first
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.reservation.reservations import list_reservations


def run_cycle(snapshot: Snapshot, now: Millis, *, explained: bool = True) -> Plan:
    """Decide who starts where, and tell everybody else why not.

    The same snapshot gives the same plan, in whatever order its rows were read.
    """
    return decide(Ledger(snapshot), now, explained=explained)


def decide(ledger: Ledger, now: Millis, *, explained: bool = True) -> Plan:
    """Decide on what the ledger holds; the placements are in it afterwards."""
    return Decision(ledger, now).plan(explained=explained)


class Decision:
    """One decision, in two halves: whoever commits what starts need not wait for the rest.

    1. Everything that waits stands in one line: fair share between groups and between members,
       priority inside a group, then age.
    2. In that order, work that its quotas allow is placed where it fits best. The first of each
       pool that does not fit is promised a start, and only what cannot delay it passes.
    3. What its own pool has no room for starts as a guest of a pool that lends or takes it in.
    4. For what has a better right than what runs, it is planned who leaves.
    5. Whatever still waits gets its position and its reasons, with numbers. A simulator that
       asks nobody why (`explained=False`) does without.
    """

    def __init__(self, ledger: Ledger, now: Millis) -> None:
        """Decide what starts: steps 1 to 3."""
        self._ledger, self._now = ledger, now
        ledger.begin_decision(now)
        line = sort_queue(ledger.pending.values(), ledger.fair_share_state())
        owed = put_deserved_first(line, ledger.quotas, ledger.pools)
        self._queue = put_beneficiaries_first(owed, ledger.running.values(), ledger.pool_of)
        self.starts: Final = allocate_waiting(self._queue, ledger) + borrow_capacity(
            self._queue, ledger, now
        )

    def plan(self, *, explained: bool = True) -> Plan:
        """Decide everything else, once: steps 4 and 5."""
        ledger, placed = self._ledger, {place.workload for place in self.starts}
        evictions = plan_evictions(self._queue, ledger, self._now, placed)
        if not explained:
            return Plan(self._now, self.starts, evictions, list_reservations(ledger))
        waiting = [workload for workload in self._queue if workload.id in ledger.pending]
        return Plan(
            made_at=self._now,
            starts=self.starts,
            evictions=evictions,
            reservations=list_reservations(ledger),
            holds=explain_waiting(waiting, ledger, evictions),
            boards=build_boards(ledger, waiting),
        )
