"""Lists followed from page to page while their rows change: each row that stays is shown once."""

from collections import Counter
from datetime import timedelta
from random import Random

import pytest

from portal.common.actor import Actor
from portal.common.clock import now
from portal.workloads.models import Workload, WorkloadEvent
from portal.workloads.responses.past_states import MOVES_MAX, find_settled
from portal.workloads.state.transitions import build_event, move_workload, record_note
from scheduler.core.model.states import WORKLOAD_TRANSITIONS, WorkloadState
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
SYSTEM = Actor.system("test")


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def submitted(scene: Scene, name: str) -> Workload:
    """Return new work, with the event of its submission."""
    work = scene.work(name=name)
    event = build_event(work, "", SYSTEM)
    event.save()
    return work


def move_some(rng: Random, count: int) -> None:
    """Move some work along a legal edge, and note something of others."""
    for pk in rng.sample(list(Workload.objects.values_list("pk", flat=True)), count):
        work = Workload.objects.get(pk=pk)
        targets = sorted(WORKLOAD_TRANSITIONS[WorkloadState(work.state)])
        if targets and rng.random() < 0.8:
            move_workload(work, rng.choice(targets), actor=SYSTEM)
        else:
            record_note([work], actor=SYSTEM, cause="noted", params={})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ordering", ["state", "-state"])
def test_a_walk_shows_each_row_that_stays_once(scene: Scene, ordering: str, seed: int) -> None:
    rng = Random(seed)
    for number in range(20):
        submitted(scene, f"w{number}")
    for _ in range(4):
        move_some(rng, 12)
    there = set(map(str, Workload.objects.values_list("pk", flat=True)))
    states = dict(Workload.objects.values_list("pk", "state"))
    client, seen = browser(scene.owner), list[str]()
    url: str | None = f"{API}/workloads?ordering={ordering}&page_size={rng.choice((1, 3, 7))}"
    while url:
        page = json_of(client.get(url))
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
        move_some(rng, rng.randint(0, 8))
        if rng.random() < 0.3:
            submitted(scene, "came later")
    shown = Counter(seen)
    assert there <= set(shown)
    assert max(shown.values()) == 1
    began = {str(pk): state for pk, state in states.items()}
    order = [began[each] for each in seen if each in there]
    assert order == sorted(order, reverse=ordering.startswith("-"))


def test_the_way_back_shows_the_same_rows(scene: Scene) -> None:
    rng = Random(7)
    for number in range(9):
        submitted(scene, f"w{number}")
    client = browser(scene.owner)
    pages = [json_of(client.get(f"{API}/workloads?ordering=state&page_size=4"))]
    while pages[-1]["next"]:
        move_some(rng, 4)
        pages.append(json_of(client.get(pages[-1]["next"])))
    move_some(rng, 4)
    back = json_of(client.get(pages[-1]["previous"]))
    assert [row["id"] for row in back["results"]] == [row["id"] for row in pages[-2]["results"]]


@pytest.mark.parametrize("ordering", ["submitted_at", "-submitted_at", "name", "-name"])
def test_other_orders_do_not_move_with_the_states(scene: Scene, ordering: str) -> None:
    rng = Random(3)
    there = {str(submitted(scene, f"w{number}").pk) for number in range(11)}
    client, seen = browser(scene.owner), list[str]()
    url: str | None = f"{API}/workloads?ordering={ordering}&page_size=2"
    while url:
        page = json_of(client.get(url))
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
        move_some(rng, 5)
    assert sorted(seen) == sorted(there)


def test_a_page_after_too_many_moves_is_refused(scene: Scene) -> None:
    work = [submitted(scene, f"w{number}") for number in range(3)][-1]
    client = browser(scene.owner)
    link = json_of(client.get(f"{API}/workloads?ordering=state&page_size=1"))["next"]
    late = build_event(work, work.state, SYSTEM)
    late.pk = WorkloadEvent.objects.latest("pk").pk + MOVES_MAX + 1
    late.save(force_insert=True)
    problem_of(client.get(link), 400, "cursor_too_old")


def test_events_that_may_still_come_are_waited_for() -> None:
    moment = now()
    old, new = moment - timedelta(seconds=60), moment
    since = moment - timedelta(seconds=10)
    assert find_settled([], since) == 0
    assert find_settled([(9, new), (8, new), (7, old)], since) == 9
    assert find_settled([(9, new), (7, new), (6, old)], since) == 7
    assert find_settled([(9, new), (8, new), (4, new), (3, new), (1, new)], since) == 1
    assert find_settled([(9, old), (4, old)], since) == 9
