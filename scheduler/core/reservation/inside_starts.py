"""When waiting work is expected to start inside an advance reservation that is for it."""

from collections.abc import Iterator
from typing import Final

from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.notice import fits_in_window
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import Millis, NodeId, PendingWorkload, RunningWorkload
from scheduler.core.timeline.node_reservation import TimePoint, to_millis
from scheduler.core.timeline.pool_timeline import PoolTimeline, end_after

_WINDOWS_TRIED: Final = 2
"""Windows of each reservation, from the one that is open or next, that are looked at."""


class InsideTimelines:
    """The reserved devices from now on, window by window; each start found is counted as made."""

    def __init__(self, ledger: Ledger) -> None:
        """Look at nothing yet."""
        self._ledger = ledger
        self._lines: dict[tuple[ReservationId, Millis], PoolTimeline] = {}

    def start(
        self, item: PendingWorkload, seconds: int | None, elsewhere: TimePoint | None
    ) -> TimePoint | None:
        """Start the workload inside, if that is earlier than `elsewhere`; else return None.

        Work that a quota of its own group refuses now is not looked at: it waits for that.
        """
        if not self._ledger.reserved or self._ledger.quotas.refusals_inside(item):
            return None
        now = self._ledger.now
        for reservation, window in self._windows_for(item):
            line = self._line(reservation, window)
            found = line.earliest_start(item.request, item.avoid)
            if found is None:
                continue
            at = max(found.at, window.start if window.start > now else 0)
            policy = self._ledger.pools[item.pool].policy
            if not fits_in_window(item, policy, to_millis(at, now), window):
                continue
            if elsewhere is not None and to_millis(elsewhere, now) <= to_millis(at, now):
                return None
            until = min(end_after(at, seconds, now), window.end)
            line.occupy(item.request, found._replace(at=at), until)
            return at
        return None

    def _windows_for(
        self, item: PendingWorkload
    ) -> Iterator[tuple[AdvanceReservationView, ReservedWindow]]:
        """Yield the windows that are for the workload, the earliest first."""
        reserved, now = self._ledger.reserved, self._ledger.now
        found = []
        for each in reserved.upcoming_in(item.pool):
            if reserved.is_for(each, item):
                ahead = [window for window in each.windows if window.end > now]
                found += [
                    (window.start, each.id, each, window) for window in ahead[:_WINDOWS_TRIED]
                ]
        yield from ((each, window) for _, _, each, window in sorted(found, key=lambda row: row[:2]))

    def _line(self, reservation: AdvanceReservationView, window: ReservedWindow) -> PoolTimeline:
        key = (reservation.id, window.start)
        if key not in self._lines:
            self._lines[key] = self._make_line(reservation, window)
        return self._lines[key]

    def _make_line(
        self, reservation: AdvanceReservationView, window: ReservedWindow
    ) -> PoolTimeline:
        """Return its devices alone: as they are in an open window, all free at the start of another."""
        ledger, pool = self._ledger, reservation.pool
        nodes = {node for node, _, _ in reservation.devices if node in ledger.free[pool]}
        capacities: dict[NodeId, NodeCapacity] = {}
        held: dict[NodeId, tuple[RunningWorkload, ...]] = {}
        devices = {(card, slot) for _, card, slot in reservation.devices}
        for node in sorted(nodes):
            if window.start > ledger.now:
                whole = ledger.usable[pool][node]
                capacities[node] = ledger.reserved.inside(reservation, whole, whole)
                continue
            free, unreserved = ledger.free[pool][node], ledger.unreserved[pool][node]
            capacities[node] = ledger.reserved.inside(reservation, free, unreserved)
            held[node] = tuple(
                work
                for work in ledger.running_on.get(node, ())
                if any(device in devices for each in work.placements for device in each.devices)
            )
        return PoolTimeline(capacities, held, type(ledger.timeline_cache)())
