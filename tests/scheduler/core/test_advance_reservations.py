"""What an accepted advance reservation gets, and what nobody loses by it, over generated sites."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from scheduler.core.actions import clear_reserved, evictions
from scheduler.core.capacity.reserved_devices import ReservedCapacity
from scheduler.core.cycle import run_cycle
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    Millis,
    PoolId,
    RunningWorkload,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reserve_devices import ObstacleKind, choose_devices
from tests.scheduler.core.actions.worlds import DEVELOPMENT, GROUPS, NOW, TRAINING, worlds
from tests.scheduler.counting import after, recounted
from tests.scheduler.scenario import snapshot_of

STEP_MS = 30_000
COURSE = ReservationId("course")
CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much]
PLAYED = settings(max_examples=25, suppress_health_check=CHECKS)
PLANTED = settings(
    max_examples=100,
    suppress_health_check=CHECKS,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
)
"""What a planted bug breaks is looked for, and not made smaller."""


@dataclass(frozen=True, repr=False)
class Accepted:
    """A site without and with a reservation that it has accepted."""

    before: Snapshot
    world: Snapshot
    course: AdvanceReservationView


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
    return Accepted(world, replace(world, reservations=(made,)), made)


@PLAYED
@given(reserved_worlds())
def test_its_devices_are_free_at_its_start_and_only_its_group_starts_inside(
    drawn: Accepted,
) -> None:
    _assert_only_its_group_is_inside(drawn.world, drawn.course)


def _assert_only_its_group_is_inside(world: Snapshot, course: AdvanceReservationView) -> None:
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


@PLAYED
@given(reserved_worlds())
def test_no_promised_start_gets_later_by_a_reservation(
    drawn: Accepted,
) -> None:
    promised = run_cycle(drawn.before, NOW, explained=False)
    then = run_cycle(drawn.world, NOW, explained=False)

    starts = {promise.workload: promise.starts_at for promise in then.reservations}
    starts |= {start.workload: NOW for start in then.starts}
    for promise in promised.reservations:
        assert starts[promise.workload] <= promise.starts_at


def _plant_no_level(patch: pytest.MonkeyPatch) -> None:
    """Work starts on reserved devices however long it may stay."""
    patch.setattr(ReservedCapacity, "level", lambda *_: 0)


def _plant_no_eviction(patch: pytest.MonkeyPatch) -> None:
    """Nothing leaves before a window opens."""
    patch.setattr(evictions, "find_overstaying", lambda *_: ())


def _plant_too_late(patch: pytest.MonkeyPatch) -> None:
    """The notice is given when the window opens, not so long before."""
    patch.setattr(clear_reserved, "leaving_s", lambda _: 0)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("plant", [_plant_no_level, _plant_no_eviction, _plant_too_late])
def test_a_planted_bug_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)

    @PLANTED
    @given(reserved_worlds())
    def search(drawn: Accepted) -> None:
        _assert_only_its_group_is_inside(drawn.world, drawn.course)

    with pytest.raises(AssertionError, match="is inside"):
        search()


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


REFUSED = {
    "running work that cannot be evicted, up to its limit": (
        {"running": ["busy: 3 cards on n1 of speech, began 60 s ago, ends in 4000 s"]},
        *(2, [(ObstacleKind.WORK, 3, "busy", 4000)]),
    ),
    "another reservation at the same time": (
        {"reservations": ["exam: 3 cards on n1, for speech, from 4000 to 9000"]},
        *(2, [(ObstacleKind.RESERVATION, 3, "exam", 9000)]),
    ),
    "a guarantee of another group": (
        {"quotas": ["speech: guarantee 3 cards in training"]},
        *(2, [(ObstacleKind.GUARANTEE, 1000, "speech", None)]),
    ),
    "a promised start": (
        {
            "running": ["busy: 2 cards on n1 of speech, began 60 s ago, ends in 3000 s"],
            "waiting": ["big: 4 cards of speech, limit 86400"],
        },
        *(2, [(ObstacleKind.PROMISED_START, 1, "big", 3000)]),
    ),
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_what_is_in_the_way(row: tuple[dict[str, list[str]], int, object]) -> None:
    site, count, expected = row

    choice = choose_devices(_site(site), _wanted(), count, whole=True)

    found = [
        (
            each.kind,
            each.count,
            each.workload or each.reservation or each.group,
            _seconds(each.until),
        )
        for each in choice.obstacles
    ]
    assert (choice.devices, found) == ((), expected)


ACCEPTED = {
    "running work that ends before": [
        "busy: 4 cards on n1 of speech, began 60 s ago, ends in 3600 s"
    ],
    "work that can be evicted": ["busy: 4 cards on n1 of speech, preemptible, ends in 86400 s"],
    "nothing": [],
}


@pytest.mark.parametrize("running", ACCEPTED.values(), ids=ACCEPTED)
def test_what_leaves_in_time_is_no_obstacle(running: list[str]) -> None:
    choice = choose_devices(_site({"running": running}), _wanted(), 4, whole=True)

    assert len(choice.devices) == 4
    assert choice.obstacles == ()


def test_a_promised_start_on_another_node_is_left_alone() -> None:
    site = _site(
        {
            "nodes": ["n1: 4 cards", "n2: 4 cards"],
            "running": ["busy: 2 cards on n1 of speech, began 60 s ago, ends in 3000 s"],
            "waiting": [
                "big: 4 cards of speech, limit 86400",
                "also: 4 cards of speech, limit 86400",
            ],
        }
    )
    before = run_cycle(site, site.taken_at)
    choice = choose_devices(site, _wanted(), 2, whole=True)

    assert [promise.workload for promise in before.reservations] == ["also"]
    assert choice.devices == () or {node for node, _, _ in choice.devices} == {"n2"}


def test_slices_are_taken_from_few_cards() -> None:
    site = _site(
        {
            "pools": ["training", "development: 8 slices of 4096 MiB"],
            "nodes": ["d1: 2 cards in development"],
            "running": ["a: 1 slices on d1 card 0 in development of speech, ends in 86400 s"],
        }
    )
    wanted = replace(_wanted(), pool=PoolId("development"))

    choice = choose_devices(site, wanted, 10, whole=False)

    assert [card for _, card, _ in choice.devices].count(AcceleratorId("d1.1")) == 8
    assert len(choice.devices) == 10


def _site(more: dict[str, list[str]]) -> Snapshot:
    site: dict[str, object] = {
        "nodes": ["n1: 4 cards"],
        "groups": ["lab", "vision: in lab", "speech: in lab"],
    }
    return snapshot_of(site | more)


def _wanted() -> AdvanceReservationView:
    window = ReservedWindow(Millis(3_600_000), Millis(7_200_000))
    return AdvanceReservationView(
        COURSE, "course", PoolId("training"), GROUPS[1], devices=(), windows=(window,)
    )


def _seconds(at: Millis | None) -> int | None:
    return None if at is None else at // 1000
