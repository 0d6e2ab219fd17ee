"""One scheduling cycle: a snapshot in, a plan out. No clock, no I/O, no chance."""

from typing import Final

from scheduler.core.actions.allocate import admit
from scheduler.core.actions.borrow import borrow
from scheduler.core.actions.evictions import make_room
from scheduler.core.explain.boards import boards
from scheduler.core.explain.holds import explain
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ordering.precedence import owed_first, promised_first
from scheduler.core.ordering.queue_order import in_queue_order
from scheduler.core.reservation.reservations import reserves


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
        line = in_queue_order(ledger.pending.values(), ledger.standing())
        owed = owed_first(line, ledger.quotas, ledger.pools)
        self._queue = promised_first(owed, ledger.running.values(), ledger.pool_of)
        self.places: Final = admit(self._queue, ledger) + borrow(self._queue, ledger, now)

    def plan(self, *, explained: bool = True) -> Plan:
        """Decide everything else, once: steps 4 and 5."""
        ledger, placed = self._ledger, {place.workload for place in self.places}
        evictions = make_room(self._queue, ledger, self._now, placed)
        if not explained:
            return Plan(self._now, self.places, evictions, reserves(ledger))
        waiting = [workload for workload in self._queue if workload.id in ledger.pending]
        return Plan(
            made_at=self._now,
            places=self.places,
            evictions=evictions,
            reservations=reserves(ledger),
            holds=explain(waiting, ledger, evictions),
            boards=boards(ledger, waiting),
        )
