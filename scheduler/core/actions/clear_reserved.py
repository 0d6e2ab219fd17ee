"""Clear reserved devices: preemptible work leaves before a window opens, and when its own ends.

Work that cannot be evicted is never in the way: it starts on a device only if it ends before the next
window of it, and a reservation is refused on devices where such work would still run.
"""

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.victims import Holders, is_evictable, make_candidate
from scheduler.core.capacity.notice import is_notice_due
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.entities import AcceleratorId, Millis, PoolId, RunningWorkload
from scheduler.core.model.plan import EvictionCause


def find_overstaying(
    holders: Holders, pool: PoolId, ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Return the preemptible work to give notice now, so that reserved devices are free in time."""
    policy, now = ledger.pools[pool].policy, ledger.now
    found: dict[str, RunningWorkload] = {}
    for reservation in ledger.reserved.upcoming_in(pool):
        window = reservation.next_window(now)
        if window is None or not is_notice_due(window.start, policy, now):
            break
        devices = frozenset((card, slot) for _, card, slot in reservation.devices)
        is_ending = is_notice_due(window.end, policy, now)
        for work in holders:
            if not _holds_any(work, devices):
                continue
            if is_ending or not _is_inside(work, reservation, window.start, ledger):
                found[work.id] = work
    return tuple(
        make_candidate(work, EvictionCause.RESERVED, ledger)
        for _, work in sorted(found.items())
        if is_evictable(work, ledger, protected_s=0)
    )


def _is_inside(
    work: RunningWorkload, reservation: AdvanceReservationView, opens: Millis, ledger: Ledger
) -> bool:
    """Return whether the work is one that the open window is for."""
    return opens <= ledger.now and ledger.reserved.is_for(reservation, work)


def _holds_any(work: RunningWorkload, devices: frozenset[tuple[AcceleratorId, int]]) -> bool:
    return any(device in devices for placement in work.placements for device in placement.devices)
