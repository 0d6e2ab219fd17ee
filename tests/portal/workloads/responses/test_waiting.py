"""The wait of one workload by the API: who holds its limits, as far as the reader may see, and ways out."""

from typing import Any

import pytest
from django.db.models import F

from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.submission import waiting
from scheduler.core.model.snapshot import Snapshot
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def running(scene: Scene, *cards: int, **asked: Any) -> Workload:
    """Save work that holds these cards of the first node."""
    work = scene.work(gpus=len(cards), **asked)
    scene.place(work, scene.placement(cards=cards))
    return work


def waiting_of(scene: Scene, work: Workload, reader: Any = None) -> Any:
    return json_of(browser(reader or scene.owner).get(f"{API}/workloads/{work.pk}/waiting"))


def test_a_full_ceiling_names_who_holds_it_and_what_would_start_now() -> None:
    scene = a_scene(cards=8)
    a_quota(scene.group, ceiling=4000)
    holder = running(scene, 0, 1, 2)
    waits = scene.work(gpus=4)

    answer = waiting_of(scene, waits)

    [limit] = answer["limits"]
    assert limit["reason"]["code"] == "quota_ceiling"
    assert (limit["others"], limit["others_amount"]) == (0, 0)
    [held] = limit["holders"]
    assert held["work"]["name"] == holder.name
    assert held["work"]["owner"]["username"] == scene.owner.username
    assert (held["amount"], held["basis"]) == (3000, "limits")
    ways = {way["code"]: way for way in answer["ways_out"]}
    assert ways.keys() == {"fewer_gpus", "stop_own"}
    assert ways["fewer_gpus"]["changes"] == {"gpus": 1}
    call = ways["fewer_gpus"]["call"]
    assert call == {"method": "PATCH", "path": f"{API}/jobs/{waits.pk}", "body": {"gpus": 1}}
    changed = browser(scene.owner).patch(call["path"], call["body"], format="json")
    assert json_of(changed, changed.status_code)["gpus"] == 1
    assert ways["stop_own"]["stops"]["name"] == holder.name
    assert ways["stop_own"]["call"] == {
        "method": "POST",
        "path": f"{API}/jobs/{holder.pk}/cancel",
        "body": None,
    }


def test_another_pool_with_room_is_named_and_one_that_is_cut_is_not() -> None:
    scene = a_scene(cards=1)
    running(scene, 0)
    spare = a_pool("spare")
    a_node(spare, cards=1)
    a_node(a_pool("slices", slices=8), cards=1)
    waits = scene.work(gpus=1)

    ways = waiting_of(scene, waits)["ways_out"]

    [way] = [way for way in ways if way["code"] == "other_pool"]
    assert way["pool"]["name"] == "spare"
    assert way["changes"] == {"pool": "spare"}


def test_holders_of_other_groups_are_counted_without_their_names() -> None:
    scene = a_scene(cards=8)
    root = a_group("root")
    other = a_group("other", parent=root)
    scene.group.parent = root
    scene.group.save()
    a_quota(root, ceiling=4000)
    stranger = a_member(other)
    foreign = a_workload(stranger, other, scene.pool, gpus=3)
    scene.place(foreign, scene.placement(cards=(0, 1, 2)))
    running(scene, 3)
    waits = scene.work(gpus=1)

    [limit] = waiting_of(scene, waits)["limits"]

    assert [held["amount"] for held in limit["holders"]] == [1000]
    assert (limit["others"], limit["others_amount"]) == (1, 3000)


def test_who_may_only_look_sees_holders_and_no_ways_out() -> None:
    scene = a_scene(cards=8)
    a_quota(scene.group, ceiling=1000)
    running(scene, 0)
    waits = scene.work(gpus=1)

    answer = waiting_of(scene, waits, a_member(scene.group, "viewer"))

    assert len(answer["limits"]) == 1
    assert answer["ways_out"] == []


def test_the_wait_of_another_tenant_does_not_exist() -> None:
    scene = a_scene()
    waits = scene.work(gpus=1)
    stranger = a_member(a_group("elsewhere"))

    answer = browser(stranger).get(f"{API}/workloads/{waits.pk}/waiting")

    problem_of(answer, 404, "not_found")


def test_work_that_does_not_wait_has_an_empty_answer() -> None:
    scene = a_scene()
    work = running(scene, 0)

    assert waiting_of(scene, work) == {"expected_start": None, "limits": [], "ways_out": []}


def test_a_dry_run_names_holders_and_on_request_ways_out() -> None:
    scene = a_scene(cards=8)
    a_quota(scene.group, ceiling=2000)
    running(scene, 0)
    body = {
        "kind": "training",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "gpus": 2,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    ask = browser(scene.owner)

    plain = json_of(ask.post(f"{API}/workloads/dry-run", body, format="json"))
    with_ways = json_of(
        ask.post(f"{API}/workloads/dry-run", {**body, "ways_out": True}, format="json")
    )

    assert [len(limit["holders"]) for limit in plain["limits"]] == [1]
    assert plain["ways_out"] == []
    by_code = {way["code"]: way for way in with_ways["ways_out"]}
    assert by_code["fewer_gpus"]["changes"] == {"gpus": 1}
    assert by_code["fewer_gpus"]["call"] is None
    assert by_code["stop_own"]["call"]["method"] == "POST"


def test_the_answer_costs_no_more_queries_for_more_holders(
    django_assert_max_num_queries: Any,
) -> None:
    scene = a_scene(cards=8)
    a_quota(scene.group, ceiling=6000)
    for card in range(6):
        running(scene, card)
    waits = scene.work(gpus=2)

    with django_assert_max_num_queries(60):
        answer = waiting_of(scene, waits)

    assert len(answer["limits"][0]["holders"]) == 6


def test_one_view_of_the_queue_answers_all_until_it_is_old_or_the_work_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads: list[Snapshot] = []

    def read() -> Snapshot:
        reads.append(load_snapshot())
        return reads[-1]

    monkeypatch.setattr(waiting, "load_snapshot", read)
    monkeypatch.setattr(waiting, "_queue_view", waiting._QueueView())
    scene = a_scene(cards=2)
    running(scene, 0, 1)
    first, second = scene.work(gpus=1), scene.work(gpus=2)

    with override_site_config(queue_view_age_s=60):
        assert waiting_of(scene, first) == waiting_of(scene, first)
        assert waiting_of(scene, second)["expected_start"] is not None
        assert len(reads) == 1
        third = scene.work(gpus=1)
        assert waiting_of(scene, third)["expected_start"] is not None
        Workload.objects.filter(pk=second.pk).update(version=F("version") + 1)
        assert waiting_of(scene, second)["expected_start"] is not None
        assert waiting_of(scene, third)["expected_start"] is not None
        assert len(reads) == 3
    waiting_of(scene, third)
    assert len(reads) == 4
