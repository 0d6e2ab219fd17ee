"""Choose the devices of an advance reservation, or name the promises that are in the way.

A device will do if nothing that was promised before needs it in any window: work that runs on it and
cannot be evicted ends before, no other reservation has it then, what is left keeps every guarantee,
and no start that is promised to waiting work (a backfill reservation) gets later. The last is tried
out: the same decision is made with and without the new reservation.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from scheduler.core.actions.victims import is_evictable, may_become_guaranteed
from scheduler.core.capacity.notice import START_MARGIN_S, leaving_s
from scheduler.core.cycle import run_cycle
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedDevice,
    ReservedWindow,
)
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    NodeId,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.aside import Aside
from scheduler.core.quotas.quota_book import QuotaBook

_TRIES: Final = 4
"""Choices that are tried out against promised starts."""
_STARTS_TRIED: Final = 8
"""Later starts that are tried for a reservation that was refused."""
_Unit = tuple[ReservedDevice, ...]
"""What is reserved together: a slot, or all slots of a card."""


class ObstacleKind(StrEnum):
    """What was promised before. The codes never change."""

    WORK = "work"
    """Running work that cannot be evicted, up to its time limit."""
    OPEN_END = "open_end"
    """Running work that cannot be evicted, and has no time limit."""
    RESERVATION = "reservation"
    """Another advance reservation."""
    PROMISED_START = "promised_start"
    """Waiting work that has a reserved start."""
    GUARANTEE = "guarantee"
    """GPUs that a group is guaranteed."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A promise that leaves too little for a reservation."""

    kind: ObstacleKind
    count: int = 0
    """Devices that it keeps; of a guarantee, thousandths of GPUs that would be missing."""
    until: Millis | None = None
    workload: WorkloadId | None = None
    reservation: ReservationId | None = None
    group: GroupId | None = None


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """The devices of a reservation, or why there are too few."""

    devices: tuple[ReservedDevice, ...] = ()
    available: int = 0
    """Cards or slices that no running work and no other reservation needs."""
    obstacles: tuple[Obstacle, ...] = ()


def choose_devices(
    snapshot: Snapshot, wanted: AdvanceReservationView, count: int, *, whole: bool
) -> DeviceChoice:
    """Choose so many cards, or slices if not `whole`, for a reservation without devices yet."""
    return replace_devices(snapshot, wanted, count, kept=(), whole=whole)


def replace_devices(
    snapshot: Snapshot,
    wanted: AdvanceReservationView,
    count: int,
    *,
    kept: Sequence[ReservedDevice],
    whole: bool,
) -> DeviceChoice:
    """Choose so many more for a reservation that keeps some devices, and lost the others.

    The devices of the answer are all that it has then, those that it keeps first.
    """
    ledger = Ledger(snapshot)
    ledger.begin_decision(snapshot.taken_at)
    own = frozenset(kept)
    units = [unit for unit in _units(wanted, ledger, whole=whole) if own.isdisjoint(unit)]
    taken = _find_taken(wanted, ledger)
    open_units = [unit for unit in units if not any(device in taken for device in unit)]
    if len(open_units) < count:
        return DeviceChoice((), len(open_units), _merge(taken, units))
    total = count + (len({card for _, card, _ in kept}) if whole else len(kept))
    if short := _find_guarantees(snapshot, wanted, total, units):
        return DeviceChoice((), len(open_units), short)
    before = run_cycle(snapshot, snapshot.taken_at, explained=False)
    avoided: set[NodeId] = set()
    late: tuple[Obstacle, ...] = ()
    for _ in range(_TRIES):
        chosen = _choose(open_units, count, avoided)
        made = replace(wanted, devices=(*kept, *(device for unit in chosen for device in unit)))
        late_nodes, obstacles = _find_late(before, snapshot, made)
        if not obstacles:
            return DeviceChoice(made.devices, len(open_units))
        late = late or obstacles
        if late_nodes <= avoided:
            break
        avoided |= late_nodes
    return DeviceChoice((), len(open_units), late)


def find_later_start(
    snapshot: Snapshot,
    wanted: AdvanceReservationView,
    count: int,
    obstacles: Iterable[Obstacle],
    *,
    whole: bool,
) -> Millis | None:
    """Return when a refused reservation of the same length could start; None if it was not found.

    Only ends of obstacles are tried, the earliest first: nothing comes free in between.
    """
    first = wanted.windows[0].start
    ends = sorted({each.until for each in obstacles if each.until and each.until > first})
    for end in ends[:_STARTS_TRIED]:
        delay = end - first
        windows = tuple(
            ReservedWindow(Millis(window.start + delay), Millis(window.end + delay))
            for window in wanted.windows
        )
        later = replace(wanted, windows=windows)
        if choose_devices(snapshot, later, count, whole=whole).devices:
            return end
    return None


def _units(wanted: AdvanceReservationView, ledger: Ledger, *, whole: bool) -> list[_Unit]:
    """Return every card, or every slot, of the pool that takes work today."""
    found: list[_Unit] = []
    for node, capacity in sorted(ledger.usable[wanted.pool].items()):
        for card in capacity.cards:
            slots = [(node, card.view.id, slot) for slot in range(card.view.slices)]
            if whole:
                found.append(tuple(slots))
            elif card.view.is_sliced and not card.view.mig_profiles:
                found += [(slot,) for slot in slots]
    return found


def _find_taken(
    wanted: AdvanceReservationView, ledger: Ledger
) -> Mapping[ReservedDevice, Obstacle]:
    """Return the devices that something needs in one of the windows, and what that is."""
    taken: dict[ReservedDevice, Obstacle] = {}
    first = wanted.windows[0].start
    for work in sorted(ledger.running.values(), key=lambda work: work.id):
        until = _leaves_at(work, ledger)
        if until is not None and until <= first:
            continue
        kind = ObstacleKind.OPEN_END if until is None else ObstacleKind.WORK
        obstacle = Obstacle(kind, until=until, workload=work.id, group=work.group)
        for placement in work.placements:
            for card, slot in placement.devices:
                taken[placement.node, card, slot] = obstacle
    for other in ledger.reserved.upcoming_in(wanted.pool):
        if other.id != wanted.id and (overlap := _first_overlap(wanted.windows, other.windows)):
            found = Obstacle(
                ObstacleKind.RESERVATION,
                until=overlap.end,
                reservation=other.id,
                group=other.group,
            )
            taken |= dict.fromkeys(other.devices, found)
    return taken


def _leaves_at(work: RunningWorkload, ledger: Ledger) -> Millis | None:
    """Return when running work has left its devices for certain; None is never."""
    policy = ledger.pools[work.pool].policy
    if work.stopping or (
        is_evictable(work, ledger, protected_s=0) and not may_become_guaranteed(work, ledger)
    ):
        return Millis(ledger.now + leaving_s(policy) * 1000)
    if work.is_open_ended:
        return None
    if work.started_at is None:
        limit = work.ends_at - ledger.now if work.ends_at else work.time_limit_s * 1000
        return Millis(ledger.now + limit + START_MARGIN_S * 1000)
    return work.ends_at or Millis(work.started_at + work.time_limit_s * 1000)


def _first_overlap(
    windows: Iterable[ReservedWindow], others: Sequence[ReservedWindow]
) -> ReservedWindow | None:
    for window in windows:
        for other in others:
            if window.start < other.end and other.start < window.end:
                return other
    return None


def _merge(
    taken: Mapping[ReservedDevice, Obstacle], units: Iterable[_Unit]
) -> tuple[Obstacle, ...]:
    """Return each obstacle once, with how many cards or slots it keeps, the largest first."""
    counts: defaultdict[Obstacle, int] = defaultdict(int)
    for unit in units:
        for obstacle in {taken[device] for device in unit if device in taken}:
            counts[obstacle] += 1
    merged = [replace(obstacle, count=count) for obstacle, count in counts.items()]
    return tuple(sorted(merged, key=lambda each: (-each.count, each.kind, each.until or 0)))


def _choose(units: Sequence[_Unit], count: int, avoided: Collection[NodeId]) -> list[_Unit]:
    """Take as few nodes as possible, and of slices as few cards; nodes to avoid come last."""
    by_place: defaultdict[tuple[bool, NodeId], list[_Unit]] = defaultdict(list)
    for unit in units:
        by_place[unit[0][0] in avoided, unit[0][0]].append(unit)
    chosen: list[_Unit] = []
    while len(chosen) < count:
        missing = count - len(chosen)
        enough = [place for place, held in by_place.items() if len(held) >= missing]
        best = min(
            enough or by_place,
            key=lambda place: (
                place[0],
                len(by_place[place]) if enough else -len(by_place[place]),
                place,
            ),
        )
        chosen += _fullest_cards(by_place.pop(best))[:missing]
    return chosen


def _fullest_cards(units: Iterable[_Unit]) -> list[_Unit]:
    """Return the units of a node, those of cards with most of them first."""
    by_card: defaultdict[str, list[_Unit]] = defaultdict(list)
    for unit in units:
        by_card[unit[0][1]].append(unit)
    ranked = sorted(by_card.items(), key=lambda item: (-len(item[1]), item[0]))
    return [unit for _, held in ranked for unit in held]


def _find_guarantees(
    snapshot: Snapshot, wanted: AdvanceReservationView, count: int, units: Sequence[_Unit]
) -> tuple[Obstacle, ...]:
    """Return the guarantees that could not be kept beside the reservation in one of its windows."""
    guaranteed = {row.group for row in snapshot.quotas if row.guarantee}
    if not guaranteed:
        return ()
    pools = {pool.id: pool for pool in snapshot.pools}
    per_device = 1000 // max(pools[wanted.pool].slices_per_card, 1)
    mine = Aside(wanted.group, wanted.pool, per_device * count * (len(units[0]) if units else 1))
    missing: dict[GroupId, int] = {}
    for window in wanted.windows:
        firm = tuple(
            work
            for work in snapshot.running
            if not work.preemptible and (work.ends_at or window.end) > window.start
        )
        beside = [
            Aside(other.group, other.pool, per_device * len(other.devices))
            for other in snapshot.reservations
            if other.pool == wanted.pool
            and other.id != wanted.id
            and _first_overlap((window,), other.windows)
        ]
        book = QuotaBook(replace(snapshot, running=firm), UndoLog())
        for group, milli in book.find_unkept_guarantees(wanted.pool, beside, mine).items():
            missing[group] = max(missing.get(group, 0), milli)
    return tuple(
        Obstacle(ObstacleKind.GUARANTEE, count=milli, group=group)
        for group, milli in sorted(missing.items())
        if group in guaranteed
    )


def _find_late(
    before: Plan, snapshot: Snapshot, made: AdvanceReservationView
) -> tuple[set[NodeId], tuple[Obstacle, ...]]:
    """Return the promised starts that the reservation would make later, and the nodes they need."""
    if not before.reservations:
        return set(), ()
    others = tuple(each for each in snapshot.reservations if each.id != made.id)
    after = run_cycle(
        replace(snapshot, reservations=(*others, made)), snapshot.taken_at, explained=False
    )
    then = {promise.workload: promise.starts_at for promise in after.reservations}
    then |= {start.workload: snapshot.taken_at for start in after.starts}
    pending = {work.id: work for work in snapshot.pending}
    nodes: set[NodeId] = set()
    late = []
    for promise in before.reservations:
        if promise.workload in then and then[promise.workload] <= promise.starts_at:
            continue
        nodes |= {node for node, _ in promise.nodes}
        late.append(
            Obstacle(
                ObstacleKind.PROMISED_START,
                count=sum(replicas for _, replicas in promise.nodes),
                until=promise.starts_at,
                workload=promise.workload,
                group=pending[promise.workload].group,
            )
        )
    return nodes, tuple(late)
