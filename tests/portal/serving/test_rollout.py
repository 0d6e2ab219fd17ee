"""The plan of a service's replicas, on values: sizes, updates, canaries, drains, crashes; and any world."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portal.serving.rollout import (
    CRASHES_MAX,
    FIRST_PAUSE_MS,
    LONGEST_PAUSE_MS,
    SETTLING_MS,
    STEADY_S,
    EndedReplica,
    Rollout,
    SeenReplica,
    Stage,
    WantedReplicas,
    choose_revision,
    find_failure,
    next_start_at,
    plan_rollout,
)

DRAIN_MS = 60_000
NOW = 1_000_000


def seen(number: int, stage: Stage = Stage.READY, revision: int = 1, **more: Any) -> SeenReplica:
    return SeenReplica(UUID(int=number), revision, stage, **more)


def ids(*numbers: int) -> tuple[UUID, ...]:
    return tuple(UUID(int=number) for number in numbers)


def wanted(
    count: int, revision: int = 1, canary: int | None = None, pct: int = 0
) -> WantedReplicas:
    return WantedReplicas(count, revision, canary, pct, DRAIN_MS)


def test_what_is_missing_is_started() -> None:
    assert plan_rollout(wanted(3), [seen(1)], NOW) == Rollout(start={1: 2})


def test_what_is_enough_stays() -> None:
    replicas = [seen(1), seen(2, Stage.STARTING), seen(3, Stage.WAITING)]
    assert plan_rollout(wanted(3), replicas, NOW) == Rollout()


def test_a_dismissed_replica_is_replaced_while_it_drains_and_does_not_come_back() -> None:
    leaving = replace(seen(1, draining_since=NOW, open_requests=1), is_dismissed=True)
    assert plan_rollout(wanted(2), [leaving, seen(2)], NOW) == Rollout(start={1: 1})
    whole = [leaving, seen(2), seen(3, Stage.STARTING)]
    assert plan_rollout(wanted(2), whole, NOW) == Rollout()
    over = NOW + DRAIN_MS
    assert plan_rollout(wanted(2), whole, over) == Rollout(stop=ids(1))


def test_surplus_that_serves_nobody_stops_at_once_and_first() -> None:
    replicas = [seen(1), seen(2, Stage.WAITING), seen(3, Stage.STARTING)]
    assert plan_rollout(wanted(1), replicas, NOW) == Rollout(stop=ids(2, 3))


def test_surplus_that_serves_is_drained_the_least_busy_first_and_of_equals_the_youngest() -> None:
    replicas = [seen(1, open_requests=5), seen(2), seen(3), seen(4, open_requests=1)]
    assert plan_rollout(wanted(2), replicas, NOW) == Rollout(drain=ids(3, 2))


@pytest.mark.parametrize(
    ("open_requests", "reported_at", "now", "is_stopped"),
    [
        (0, NOW + SETTLING_MS, NOW + SETTLING_MS, True),
        (0, NOW + SETTLING_MS - 1, NOW + SETTLING_MS, False),
        (1, NOW + SETTLING_MS, NOW + SETTLING_MS, False),
        (1, NOW + SETTLING_MS, NOW + DRAIN_MS, True),
    ],
    ids=["idle", "counted too early", "busy", "its time is over"],
)
def test_a_draining_replica_stops_when_nothing_is_open_or_its_time_is_over(
    open_requests: int, reported_at: int, now: int, is_stopped: bool
) -> None:
    leaving = seen(2, draining_since=NOW, open_requests=open_requests, reported_at=reported_at)
    plan = plan_rollout(wanted(1), [seen(1), leaving], now)
    assert plan.stop == (ids(2) if is_stopped else ())


def test_without_a_report_a_draining_replica_has_its_whole_time() -> None:
    replicas = [seen(1), seen(2, draining_since=NOW)]
    assert plan_rollout(wanted(1), replicas, NOW + DRAIN_MS - 1) == Rollout()
    assert plan_rollout(wanted(1), replicas, NOW + DRAIN_MS).stop == ids(2)


def test_a_draining_replica_that_lost_its_node_stops() -> None:
    replicas = [seen(1), seen(2, Stage.WAITING, draining_since=NOW)]
    assert plan_rollout(wanted(1), replicas, NOW + 1) == Rollout(stop=ids(2))


def test_a_draining_replica_comes_back_before_another_is_started() -> None:
    replicas = [seen(1), seen(2, draining_since=NOW, open_requests=1)]
    assert plan_rollout(wanted(3), replicas, NOW) == Rollout(start={1: 1}, revive=ids(2))


def test_an_update_starts_one_more_and_takes_none_away_before_it_is_ready() -> None:
    old = [seen(1), seen(2)]
    assert plan_rollout(wanted(2, 2), old, NOW) == Rollout(start={2: 1})
    assert plan_rollout(wanted(2, 2), [*old, seen(3, Stage.STARTING, 2)], NOW) == Rollout()
    assert plan_rollout(wanted(2, 2), [*old, seen(3, revision=2)], NOW) == Rollout(drain=ids(2))


def test_an_update_to_zero_drains_all() -> None:
    assert plan_rollout(wanted(0, 2), [seen(1), seen(2)], NOW) == Rollout(drain=ids(2, 1))


def test_an_update_replaces_at_once_what_does_not_serve() -> None:
    plan = plan_rollout(wanted(2, 2), [seen(1, Stage.WAITING), seen(2, Stage.STARTING)], NOW)
    assert plan == Rollout(start={2: 2}, stop=ids(1, 2))


@pytest.mark.parametrize(
    ("count", "pct", "sizes"),
    [(1, 10, {1: 1, 2: 1}), (4, 25, {1: 3, 2: 1}), (10, 33, {1: 7, 2: 3}), (3, 99, {1: 1, 2: 2})],
)
def test_a_canary_has_its_part_and_one_at_least_beside_one_at_least(
    count: int, pct: int, sizes: dict[int, int]
) -> None:
    assert wanted(count, 1, 2, pct).by_revision() == sizes


def test_a_canary_starts_before_anything_leaves_for_it() -> None:
    serving = [seen(number) for number in (1, 2, 3, 4)]
    given_part = wanted(4, 1, 2, 25)
    assert plan_rollout(given_part, serving, NOW) == Rollout(start={2: 1})
    assert plan_rollout(given_part, [*serving, seen(5, revision=2)], NOW) == Rollout(drain=ids(4))


def test_a_revision_waits_after_a_crash_and_for_ever_once_it_was_given_up() -> None:
    assert plan_rollout(wanted(1), [], NOW, {1: NOW + 1}) == Rollout()
    assert plan_rollout(wanted(1), [], NOW, {1: NOW}) == Rollout(start={1: 1})
    assert plan_rollout(wanted(1), [], NOW, {1: None}) == Rollout()


def crash(at: int = NOW, ready_s: int = 0, *, was_late: bool = False) -> EndedReplica:
    return EndedReplica(at, ready_s, was_late)


def test_pauses_double_from_crash_to_crash_up_to_the_longest() -> None:
    pauses = [next_start_at([crash()] * count) - NOW for count in (1, 2, 3, 9)]
    assert pauses == [FIRST_PAUSE_MS, 2 * FIRST_PAUSE_MS, 4 * FIRST_PAUSE_MS, LONGEST_PAUSE_MS]
    assert next_start_at([]) == 0
    assert next_start_at([crash(ready_s=STEADY_S), crash()]) == 0


def test_a_revision_is_given_up_after_one_late_start_or_a_row_of_crashes_unless_it_was_proved() -> (
    None
):
    few, late = [crash()] * (CRASHES_MAX - 1), crash(was_late=True)
    assert find_failure(few, is_proved=False) is None
    assert find_failure([*few, crash()], is_proved=False) is not None
    assert find_failure([late], is_proved=False) == late
    assert find_failure([*few, crash(), late], is_proved=True) is None


def test_what_was_given_up_leaves_service_to_the_last_that_proved_itself() -> None:
    assert choose_revision(3, 2, failed=[]) == 3
    assert choose_revision(3, 2, failed=[3]) == 2
    assert choose_revision(3, None, failed=[3]) == 3
    assert choose_revision(3, 2, failed=[3, 2]) == 3


class World:
    """Replicas that become ready, lose their node and carry requests as a list of moves says."""

    def __init__(self) -> None:
        self.now, self.last_id = NOW, 0
        self.replicas: dict[UUID, SeenReplica] = {}
        self.wanted = WantedReplicas(1, 1, drain_ms=DRAIN_MS)

    def step(self) -> None:
        before = dict(self.replicas)
        plan = plan_rollout(self.wanted, list(before.values()), self.now)
        self.check(before, plan)
        for key in plan.drain:
            self.replicas[key] = replace(before[key], draining_since=self.now)
        for key in plan.revive:
            self.replicas[key] = replace(before[key], draining_since=None)
        for key in plan.stop:
            del self.replicas[key]
        for revision, count in plan.start.items():
            for _ in range(count):
                self.last_id += 1
                key = UUID(int=self.last_id)
                self.replicas[key] = SeenReplica(key, revision, Stage.WAITING)

    def check(self, before: dict[UUID, SeenReplica], plan: Rollout) -> None:
        for key in plan.stop:
            item = before[key]
            since = item.draining_since
            is_cut = item.stage is Stage.READY and item.open_requests > 0
            assert not is_cut or (since is not None and self.now >= since + DRAIN_MS)
        kept = [each for key, each in before.items() if key not in {*plan.stop, *plan.drain}]
        ready = [each for each in kept if each.stage is Stage.READY and each.draining_since is None]
        taken = [key for key in plan.drain if before[key].stage is Stage.READY]
        assert not taken or len(ready) >= self.wanted.count
        present = len(before) - len(plan.stop) + sum(plan.start.values())
        most = max(self.wanted.count, sum(self.wanted.by_revision().values())) + 1
        assert not plan.start or present <= most
        told = [*plan.stop, *plan.drain, *plan.revive]
        assert len(told) == len(set(told))

    def move(self, kind: str, number: int) -> None:
        keys = sorted(self.replicas)
        if kind == "pass":
            self.now += 1000 * (number + 1)
        elif kind == "want":
            self.wanted = replace(self.wanted, count=number % 5)
        elif kind == "update":
            self.wanted = replace(self.wanted, revision=1 + number % 3, canary=None, canary_pct=0)
        elif kind == "canary":
            other = 1 + (self.wanted.revision + number) % 4
            is_other = other != self.wanted.revision
            self.wanted = replace(
                self.wanted, canary=other if is_other else None, canary_pct=20 if is_other else 0
            )
        elif keys:
            key = keys[number % len(keys)]
            self.replicas[key] = self.changed(kind, self.replicas[key], number)

    def changed(self, kind: str, item: SeenReplica, number: int) -> SeenReplica:
        match kind:
            case "ready":
                return replace(item, stage=Stage.READY, reported_at=self.now)
            case "requests" if item.stage is Stage.READY:
                is_open = item.draining_since is None
                count = number if is_open else min(number, item.open_requests)
                return replace(item, open_requests=count, reported_at=self.now)
            case "lost":
                return replace(item, stage=Stage.WAITING, open_requests=0)
            case _:
                return item


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["pass", "want", "update", "canary", "ready", "ready", "requests", "lost"]),
        st.integers(0, 20),
    ),
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(MOVES)
def test_in_any_world_no_request_is_cut_enough_serve_and_none_are_too_many(
    moves: Sequence[tuple[str, int]],
) -> None:
    world = World()
    for kind, number in moves:
        world.move(kind, number)
        world.step()


@settings(max_examples=100, deadline=None)
@given(MOVES)
def test_every_world_comes_to_rest_at_what_is_wanted(moves: Sequence[tuple[str, int]]) -> None:
    world = World()
    for kind, number in moves:
        world.move(kind, number)
        world.step()
    for _ in range(100):
        world.now += DRAIN_MS
        world.replicas = {
            key: replace(item, stage=Stage.READY) for key, item in world.replicas.items()
        }
        world.step()
    sizes = Counter(item.revision for item in world.replicas.values())
    expected = {key: count for key, count in world.wanted.by_revision().items() if count}
    assert dict(sizes) == expected
    assert all(item.draining_since is None for item in world.replicas.values())
