"""Cleared starts: what other work was stopped for is kept for its beneficiary until all of it has left.

Kept are the very devices on which the start was planned: those that are free already, and each that a
victim leaves, with their part of the node. Of the quotas, `Ledger.refusals` counts the beneficiary as
started and the victims as gone. So whatever order victims leave in, nothing else starts on their place.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from scheduler.core.capacity.node_capacity import NodeCapacity, free_devices
from scheduler.core.ledger import Ledger
from scheduler.core.model.card_kind import is_chosen
from scheduler.core.model.entities import NodeId, PendingWorkload, Request, RunningWorkload
from scheduler.core.model.plan import PlannedReservation
from scheduler.core.placement.shape import MILLI_PER_GPU
from scheduler.core.timeline.node_reservation import FREE_NOW, NodeReservation, apply_release
from scheduler.core.timeline.pool_timeline import GangStart, end_by_limit
from scheduler.core.timeline.replica_times import releases_of
from scheduler.core.timeline.reserved_starts import Reservation, take


def keep_cleared(planned: PlannedReservation, workload: PendingWorkload, ledger: Ledger) -> bool:
    """Keep what was cleared for the workload; return False if not all of it will come free."""
    leaving = tuple(_leaving_for(planned, ledger))
    at = max((end_by_limit(work) for work in leaving), default=FREE_NOW)
    start = GangStart(at, planned.nodes, pinned=frozenset(planned.devices))
    reservation = Reservation(
        workload,
        start,
        published=planned,
        is_cleared=True,
        promised_for=max(planned.starts_at, start.starts_at(ledger.now)),
    )
    parts: defaultdict[NodeId, list[NodeReservation]] = defaultdict(list)
    for part in reservation.parts():
        parts[part.node].append(part)
    withheld: list[NodeReservation] = []
    for node, mine in parts.items():
        then = _capacity_then(node, ledger)
        if then is None or not _fits(mine, then, workload.request):
            return False
        withheld += _set_aside(mine, ledger.free[ledger.pool_of[node]][node], _take(mine, then))
    ledger.starts.add_cleared(replace(reservation, withheld=tuple(withheld)))
    return True


def is_void(reservation: Reservation, ledger: Ledger) -> bool:
    """Return whether nothing is left to wait for, although the workload did not start."""
    if reservation.start.at != FREE_NOW:
        return False
    return not any(map(ledger.is_leaving, ledger.stopping.values())) or not ledger.refusals(
        reservation.workload
    )


def _leaving_for(planned: PlannedReservation, ledger: Ledger) -> Iterator[RunningWorkload]:
    """Yield the work that is stopping for it, or on its devices."""
    mine = set(planned.devices)
    for work in ledger.stopping.values():
        if ledger.is_leaving(work) and (
            work.stopping_for == planned.workload
            or any(
                (place.node, *device) in mine
                for place in work.placements
                for device in place.devices
            )
        ):
            yield work


def _capacity_then(node: NodeId, ledger: Ledger) -> NodeCapacity | None:
    """Return the node once all that leaves it is gone, without what is cleared for others."""
    pool = ledger.pool_of.get(node)
    if pool is None:
        return None
    capacity = ledger.starts.capacities(pool)[node]
    for work in ledger.running_on.get(node, ()):
        for release in releases_of(work, node, FREE_NOW) if ledger.is_leaving(work) else ():
            capacity = apply_release(capacity, release)
    others = [
        part
        for each in ledger.starts.cleared.values()
        for part in each.parts()
        if part.node == node
    ]
    return _take(others, capacity)


def _take(parts: Iterable[NodeReservation], capacity: NodeCapacity) -> NodeCapacity:
    for part in parts:
        capacity = take(part, capacity)
    return capacity


def _fits(parts: Sequence[NodeReservation], then: NodeCapacity, request: Request) -> bool:
    """Return whether these are all there, and the request still accepts the cards."""
    after = _take(parts, then)
    devices = tuple(device for part in parts for device in part.devices)
    own = {card for card, _ in devices}
    cards = [card for card in after.cards if card.view.id in own]
    if min(after.cpu_milli, after.memory_mib) < 0 or len(cards) < len(own):
        return False
    if not all(is_chosen(card.view, request) for card in cards):
        return False
    if not request.gpu_milli:
        return len(free_devices(devices, then)) == len(devices)
    return all(
        card.free_slots
        and card.shared_milli <= MILLI_PER_GPU
        and card.shared_mib <= card.view.memory_mib
        for card in cards
    )


def _set_aside(
    parts: Sequence[NodeReservation], now: NodeCapacity, after: NodeCapacity
) -> Iterator[NodeReservation]:
    """Yield so much of what is free now that no more than `after` is left to others."""
    shares = {card.view.id: card for card in after.cards}
    cpu_milli = max(now.cpu_milli - after.cpu_milli, 0)
    memory_mib = max(now.memory_mib - after.memory_mib, 0)
    is_share = any(part.gpu_milli for part in parts)
    devices = () if is_share else tuple(device for part in parts for device in part.devices)
    yield NodeReservation(now.node, free_devices(devices, now), cpu_milli, memory_mib)
    own = {card for part in parts for card, _ in part.devices} if is_share else set()
    for card in now.cards:
        if card.view.id in own:
            milli = shares[card.view.id].shared_milli - card.shared_milli
            mib = shares[card.view.id].shared_mib - card.shared_mib
            if max(milli, mib) > 0:
                kept = max(milli, 1), max(mib, 0)
                yield NodeReservation(now.node, ((card.view.id, 0),), 0, 0, *kept)
