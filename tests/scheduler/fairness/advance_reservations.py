"""Sites that have accepted an advance reservation: what it gets, and what nobody loses by it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import assume
from hypothesis import strategies as st

from scheduler.core.capacity.reserved_devices import ReservedCapacity
from scheduler.core.cycle import run_cycle
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import Millis, RunningWorkload, UserId, WorkloadId
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState
from scheduler.core.reserve_devices import choose_devices, replace_devices
from tests.scheduler.core.actions.worlds import DEVELOPMENT, GROUPS, NOW, TRAINING, worlds
from tests.scheduler.counting import after, recounted

STEP_MS = 30_000
COURSE = ReservationId("course")


@dataclass(frozen=True, repr=False)
class Accepted:
    """A site without and with a reservation that it has accepted."""

    before: Snapshot
    world: Snapshot
    course: AdvanceReservationView
    whole: bool


@st.composite
def reserved_worlds(draw: st.DrawFn) -> Accepted:
    """A site without and with an advance reservation that it has accepted."""
    world = draw(worlds())
    running = tuple(
        replace(
            work,
            ends_at=Millis(NOW + draw(st.sampled_from([300, 900, 86_400])) * 1000),
            expected_end=None,
            time_limit_s=86_400,
        )
        for work in world.running
    )
    pending = tuple(
        replace(work, time_limit_s=draw(st.sampled_from([300, 900, 1800, 86_400])))
        for work in world.pending
    )
    world = replace(world, running=running, pending=pending)
    start = NOW + draw(st.sampled_from([600, 900, 1200])) * 1000
    wanted = AdvanceReservationView(
        id=COURSE,
        name="course",
        pool=draw(st.sampled_from([DEVELOPMENT, TRAINING])),
        group=draw(st.sampled_from(GROUPS)),
        devices=(),
        windows=(ReservedWindow(Millis(start), Millis(start + 600_000)),),
        users=draw(st.sampled_from([frozenset[UserId](), frozenset({UserId("wang")})])),
    )
    whole = wanted.pool == TRAINING or draw(st.booleans())
    choice = choose_devices(world, wanted, draw(st.integers(1, 3)), whole=whole)
    assume(choice.devices)
    made = replace(wanted, devices=choice.devices)
    return Accepted(world, replace(world, reservations=(made,)), made, whole)


def only_its_group_is_inside_an_open_window(drawn: Accepted) -> None:
    """Its devices are free at its start, only its group starts inside, and nothing stays beyond the end."""
    _check_inside(drawn.world, drawn.course)


def no_promised_start_gets_later_by_a_reservation(drawn: Accepted) -> None:
    """What waits with a promise starts no later than without the reservation."""
    _check_starts(drawn.before, drawn.world)


def a_replaced_device_breaks_no_promise(drawn: Accepted) -> None:
    """When a card of it fails, the others stay, and what replaces it is as good as chosen at first."""
    failed = drawn.course.devices[0][1]
    world = replace(
        drawn.world,
        accelerators=tuple(
            replace(card, state=AcceleratorState.SUSPECT) if card.id == failed else card
            for card in drawn.world.accelerators
        ),
    )
    kept = tuple(device for device in drawn.course.devices if device[1] != failed)
    missing = len({card for _, card, _ in drawn.course.devices}) - len({c for _, c, _ in kept})
    if not drawn.whole:
        missing = len(drawn.course.devices) - len(kept)
    bare = replace(drawn.course, devices=())
    choice = replace_devices(world, bare, missing, kept=kept, whole=drawn.whole)
    if not choice.devices:
        return
    made = replace(drawn.course, devices=choice.devices)
    assert choice.devices[: len(kept)] == kept
    assert len(set(choice.devices)) == len(drawn.course.devices)
    assert failed not in {card for _, card, _ in choice.devices}
    moved = replace(world, reservations=(made,))
    _check_starts(world, moved)
    _check_inside(moved, made)


def _check_inside(world: Snapshot, course: AdvanceReservationView) -> None:
    opens, ends = course.windows[0].start, course.windows[0].end
    reserved = ReservedCapacity(world)
    devices = {(card, slot) for _, card, slot in course.devices}
    for plan, then in _play(world, until=Millis(ends + 2 * STEP_MS)):
        for start in plan.starts:
            assert (start.reservation is None) or opens <= plan.made_at < ends
        for work in then.running:
            if _held(work) & devices and opens <= then.taken_at < ends:
                assert reserved.is_for(course, work), f"{work.id} is inside"
        if then.taken_at >= ends + STEP_MS:
            assert not _started_inside(world, then), "nobody stays beyond the end"


def _check_starts(before: Snapshot, world: Snapshot) -> None:
    promised = run_cycle(before, NOW, explained=False)
    then = run_cycle(world, NOW, explained=False)
    starts = {promise.workload: promise.starts_at for promise in then.reservations}
    starts |= {start.workload: NOW for start in then.starts}
    for promise in promised.reservations:
        assert starts[promise.workload] <= promise.starts_at


def _play(world: Snapshot, until: Millis) -> Iterator[tuple[Plan, Snapshot]]:
    """Let time go by: yield each plan, and the site once it has started what it starts."""
    leaves: dict[WorkloadId, int] = {}
    while world.taken_at <= until:
        now = world.taken_at
        over = {work.id for work in world.running if _is_over(work, leaves, now)}
        world = recounted(
            replace(world, running=tuple(w for w in world.running if w.id not in over))
        )
        plan = run_cycle(world, now)
        for item in plan.evictions:
            leaves[item.workload] = now + item.grace_s * 1000
        world = after(world, plan)
        stopping = tuple(replace(w, stopping=w.id in leaves) for w in world.running)
        started = {start.workload for start in plan.starts}
        stopping = tuple(replace(w, started_at=now) if w.id in started else w for w in stopping)
        world = replace(world, running=stopping)
        yield plan, world
        world = replace(world, taken_at=Millis(now + STEP_MS))


def _is_over(work: RunningWorkload, leaves: dict[WorkloadId, int], now: Millis) -> bool:
    return now >= min(leaves.get(work.id, now + 1), work.ends_at or now + 1)


def _held(work: RunningWorkload) -> set[tuple[str, int]]:
    return {device for placement in work.placements for device in placement.devices}


def _started_inside(world: Snapshot, then: Snapshot) -> set[WorkloadId]:
    course = then.reservations[0]
    devices = {(card, slot) for _, card, slot in course.devices}
    was = {work.id for work in world.running}
    return {
        work.id
        for work in then.running
        if work.id not in was
        and _held(work) & devices
        and work.started_at is not None
        and work.started_at < course.windows[0].end
    }
