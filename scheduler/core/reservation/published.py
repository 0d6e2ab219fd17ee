"""Published starts are kept: what the last plan promised is reserved again before anything is decided.

Each start keeps its nodes and devices, which only come free earlier than planned, never later, as long
as nothing of `MoveCause` happens. So it is in time whatever is submitted later, and whatever becomes of
the order of the queue. A start moves to other devices where that is earlier and delays no other.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import ReservedDevice
from scheduler.core.model.entities import (
    NodeId,
    PendingWorkload,
    PoolId,
    RunningWorkload,
)
from scheduler.core.model.plan import MoveCause, MovedStart, PlannedReservation
from scheduler.core.reservation.cleared import keep_cleared
from scheduler.core.reservation.reservations import (
    earliest_start,
    reserve,
    start_as_planned,
    timeline_with_reservations,
)
from scheduler.core.timeline.pool_timeline import GangStart, PoolTimeline, end_by_limit
from scheduler.core.timeline.reserved_starts import Reservation

_Row = tuple[PlannedReservation, PendingWorkload]
_NEVER: Final = 1 << 62


def keep_published(ledger: Ledger) -> None:
    """Reserve what the last plan promised, and note why some of it starts later, or not at all."""
    by_pool: defaultdict[PoolId, list[_Row]] = defaultdict(list)
    for planned in ledger.published:
        workload = _waiting(planned, ledger) if planned.is_promised else None
        if workload is not None and not (
            planned.is_cleared and keep_cleared(planned, workload, ledger)
        ):
            by_pool[planned.pool].append((planned, workload))
    for pool, rows in sorted(by_pool.items()):
        _keep_in(pool, rows, ledger)
    _drop_refused(ledger)
    for pool in sorted(ledger.starts.by_pool):
        _improve(pool, ledger)


def find_moved(
    before: Iterable[PlannedReservation],
    after: Iterable[PlannedReservation],
    ledger: Ledger,
) -> tuple[MovedStart, ...]:
    """Return the promised starts of work that still waits which the next plan has later, or not at all."""
    kept = {each.workload: each.starts_at for each in after if each.is_promised}
    return tuple(
        MovedStart(
            each.workload,
            each.starts_at,
            kept.get(each.workload),
            ledger.move_causes.get(each.workload) or _cause_when_due(each, ledger),
        )
        for each in before
        if each.is_promised
        and _waiting(each, ledger) is not None
        and kept.get(each.workload, _NEVER) > each.starts_at
    )


def _cause_when_due(planned: PlannedReservation, ledger: Ledger) -> MoveCause:
    """Return why work whose time has come, and whose devices may be free, has not started."""
    refused = ledger.quotas.refusals(ledger.pending[planned.workload])
    return MoveCause.QUOTA if refused else MoveCause.OVERDUE


def keep_again(
    reservations: Iterable[Reservation], ledger: Ledger, cause: MoveCause | None = None
) -> None:
    """Reserve starts of this decision again, on a ledger on which more has happened since.

    Where that is later, it is for this cause.
    """
    timelines: dict[PoolId, PoolTimeline] = {}
    for each in reservations:
        pool = each.workload.pool
        if pool not in timelines:
            timelines[pool] = timeline_with_reservations(pool, ledger)
        start = _find_start(each.workload, each.start, timelines[pool], ledger)
        if cause and (start is None or start.at > each.start.at):
            ledger.move_causes[each.workload.id] = cause
        if start is not None:
            reserve(replace(each, start=start), timelines[pool], ledger)


def give_up_for(workload: PendingWorkload, ledger: Ledger) -> tuple[Reservation, ...]:
    """Give up the starts in its pool that are beyond what their groups deserve; return them, to keep again."""
    given_up = tuple(
        each
        for each in ledger.starts.by_pool.get(workload.pool, ())
        if each.workload.id not in ledger.deserved
    )
    for each in given_up:
        ledger.starts.remove(each)
    return given_up


def _waiting(planned: PlannedReservation, ledger: Ledger) -> PendingWorkload | None:
    """Return the workload of a published start, if it still waits for as many replicas in its pool."""
    workload, pool = ledger.pending.get(planned.workload), ledger.pools.get(planned.pool)
    if workload is None or pool is None or workload.held or not pool.is_open:
        return None
    replicas = sum(count for _, count in planned.nodes)
    is_same = workload.pool == pool.id and workload.request.replicas == replicas
    return workload if is_same else None


def _keep_in(pool: PoolId, rows: Sequence[_Row], ledger: Ledger) -> None:
    """Reserve the starts of one pool: first all that are in time on their devices, then the others."""
    timeline = ledger.timeline(pool)
    late: list[_Row] = []
    for planned, workload in rows:
        then = _as_planned(planned)
        start = start_as_planned(workload, then, timeline, ledger)
        if start is None and planned.starts_at > ledger.now and _is_unheard(planned, ledger):
            start = then  # its node may be heard again in time
        if start is None or start.starts_at(ledger.now) > planned.starts_at:
            late.append((planned, workload))
        else:
            reserve(_carried(planned, workload, start), timeline, ledger)
    why: list[tuple[frozenset[ReservedDevice], MoveCause]] = []
    for planned, workload in late:
        start = _find_start(workload, _as_planned(planned), timeline, ledger)
        if start is None or start.starts_at(ledger.now) > planned.starts_at:
            mine = frozenset(planned.devices)
            ahead = (cause for others, cause in why if not mine.isdisjoint(others))
            cause = next(ahead, None) or _cause(planned, ledger)
            ledger.move_causes[workload.id] = cause
            why.append((mine, cause))
        if start is not None:
            reserve(_carried(planned, workload, start), timeline, ledger)


def _carried(
    planned: PlannedReservation, workload: PendingWorkload, start: GangStart
) -> Reservation:
    return Reservation(workload, start, published=planned)


def _as_planned(planned: PlannedReservation) -> GangStart:
    return GangStart(planned.starts_at, planned.nodes, pinned=frozenset(planned.devices))


def _find_start(
    workload: PendingWorkload, then: GangStart, timeline: PoolTimeline, ledger: Ledger
) -> GangStart | None:
    """Return the start on its own devices, or the earliest on any if it would be late there."""
    start = start_as_planned(workload, then, timeline, ledger)
    if start is not None and start.starts_at(ledger.now) <= then.starts_at(ledger.now):
        return start
    other = earliest_start(workload, timeline, ledger)
    if start is None or other is None:
        return start or other
    return min(start, other, key=lambda each: each.starts_at(ledger.now))


def _drop_refused(ledger: Ledger) -> None:
    """Drop the starts that the quotas no longer allow, with all others started."""
    for each in reversed(tuple(ledger.starts)):
        workload, borrowed = each.workload, _is_borrowed(each, ledger)
        refusals = ledger.refusals_at(each, borrowed=borrowed)
        if not refusals:
            continue
        ledger.move_causes[workload.id] = MoveCause.QUOTA
        ledger.starts.remove(each)
        if not each.is_cleared and ledger.quotas.waits_for_guarantees(workload, refusals):
            ledger.starts.add(replace(each, is_certain=False, keeps_quotas=False))


def _is_borrowed(reservation: Reservation, ledger: Ledger) -> bool:
    return any(
        ledger.pool_of.get(node, reservation.workload.pool) != reservation.workload.pool
        for node, _ in reservation.start.nodes
    )


def _improve(pool: PoolId, ledger: Ledger) -> None:
    """Reserve each start earlier, on other devices, where all others stay and the quotas allow it."""
    for each in ledger.starts.by_pool[pool]:
        timeline = timeline_with_reservations(pool, ledger, but=each.workload.id)
        start = earliest_start(each.workload, timeline, ledger)
        if start is None or start.starts_at(ledger.now) >= each.start.starts_at(ledger.now):
            continue
        mark = ledger.mark()
        ledger.starts.remove(each)
        earlier = reserve(replace(each, start=start), timeline, ledger)
        if each.was_promised and ledger.refusals_at(earlier):
            ledger.undo(mark)


def _is_unheard(planned: PlannedReservation, ledger: Ledger) -> bool:
    """Return whether one of its nodes is only not heard at the moment."""
    return any(node in ledger.unheard_nodes for node, _ in planned.nodes)


def _cause(planned: PlannedReservation, ledger: Ledger) -> MoveCause:
    """Return why a start cannot be kept."""
    nodes = [node for node, _ in planned.nodes]
    # A node may be another pool's, which lends to its own.
    views = [ledger.free[ledger.pool_of[node]][node] for node in nodes if node in ledger.pool_of]
    cards = {card.view.id for view in views for card in view.cards}
    if len(views) < len(nodes) or any(card not in cards for _, card, _ in planned.devices):
        return MoveCause.NODE
    if ledger.reserved and any(
        (card, slot) in ledger.reserved.devices_on(node, ledger.reserved.on_node(node))
        for node, card, slot in planned.devices
    ):
        return MoveCause.ADVANCE_RESERVATION
    if planned.starts_at <= ledger.now:
        return MoveCause.OVERDUE
    mine = set(planned.devices)
    if any(not mine.isdisjoint(each.start.pinned or ()) for each in ledger.starts.cleared.values()):
        return MoveCause.DESERVED
    holders = list(_holders(planned, nodes, ledger))
    if any(_is_behind(work, planned, ledger) for work in holders):
        return MoveCause.OVERDUE
    is_longer = any(end_by_limit(work) > planned.starts_at for work in holders)
    return MoveCause.LONGER_LIMIT if is_longer else MoveCause.RULES


def _is_behind(work: RunningWorkload, planned: PlannedReservation, ledger: Ledger) -> bool:
    """Return whether work has not started or left when it was to, or has started since the promise."""
    return (
        work.is_overdue
        or work.started_at is None
        or work.started_at > (planned.since or 0)
        or end_by_limit(work) <= ledger.now
    )


def _holders(
    planned: PlannedReservation, nodes: Iterable[NodeId], ledger: Ledger
) -> Iterator[RunningWorkload]:
    """Yield the work on its devices; without devices, on its nodes."""
    mine = set(planned.devices)
    for node in nodes:
        for work in ledger.running_on.get(node, ()):
            if not mine or any(
                (place.node, *device) in mine
                for place in work.placements
                for device in place.devices
            ):
                yield work
