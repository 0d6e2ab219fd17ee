from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import now
from portal.workloads.models import PoolQueue, SchedulerPass, Workload
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadEventShape, WorkloadSummary
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

LIST_QUERIES_MAX = 6


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def listed(scene: Scene, query: str = "") -> list[Any]:
    answer = browser(scene.owner).get(f"{API}/workloads{query}")
    return list(json_of(answer)["results"])


def test_list_is_narrowed_by_every_filter(scene: Scene) -> None:
    mate = a_member(scene.group)
    scene.work(name="alpha")
    scene.work(name="Beta", kind="environment", state="suspended")
    scene.work(name="gamma", state="succeeded")
    Workload.objects.filter(name="alpha").update(owner=mate)

    def names(query: str) -> list[str]:
        return [row["name"] for row in listed(scene, query)]

    assert names("") == ["gamma", "Beta", "alpha"]
    assert names("?kind=environment") == ["Beta"]
    assert names("?state=succeeded") == ["gamma"]
    assert names("?active=true") == ["Beta", "alpha"]
    assert names("?active=false") == ["gamma"]
    assert names("?owner=me") == ["gamma", "Beta"]
    assert names(f"?owner={mate.pk}") == ["alpha"]
    assert names("?search=BET") == ["Beta"]
    assert names("?search=%25") == []
    assert names(f"?group={scene.group.pk}&active=true") == ["Beta", "alpha"]
    assert names(f"?group={a_group().pk}") == []


@pytest.mark.parametrize(
    "query",
    [
        "?state=dead",
        "?kind=x",
        "?group=1",
        "?owner=you",
        "?active=perhaps",
        "?ordering=owner__password",
        "?state=queued&state=failed",
        "?search=" + "x" * 64,
        "?page_size=201",
        "?page_size=-1",
        "?cursor=x",
    ],
)
def test_filter_that_is_not_one_is_refused(scene: Scene, query: str) -> None:
    assert browser(scene.owner).get(f"{API}/workloads{query}").status_code == 400


def test_pages_follow_each_other_to_the_end(scene: Scene) -> None:
    for number in range(5):
        scene.work(name=f"n{number}")
    client = browser(scene.owner)
    seen: list[str] = []
    url: str | None = f"{API}/workloads?page_size=2"
    while url:
        page = json_of(client.get(url))
        seen += [row["name"] for row in page["results"]]
        url = page["next"]

    assert seen == ["n4", "n3", "n2", "n1", "n0"]


def test_answers_have_exactly_the_declared_shape(scene: Scene) -> None:
    work = scene.work(gpus=1)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    client = browser(scene.owner)

    (summary,) = listed(scene)
    detail = json_of(client.get(f"{API}/jobs/{work.pk}"))
    of_any_kind = json_of(client.get(f"{API}/workloads/{work.pk}"))
    events = json_of(client.get(f"{API}/workloads/{work.pk}/events"))["results"]

    assert summary.keys() == WorkloadSummary().fields.keys()
    assert detail.keys() == of_any_kind.keys() == WorkloadDetail().fields.keys()
    assert (of_any_kind["id"], of_any_kind["kind"]) == (str(work.pk), "training")
    for name, shape in WorkloadDetail().fields.items():
        inner = getattr(getattr(shape, "child", shape), "fields", None)
        if inner and detail[name]:
            shown = detail[name][0] if isinstance(detail[name], list) else detail[name]
            assert shown.keys() == inner.keys(), name
    assert events[0].keys() == WorkloadEventShape().fields.keys()
    assert [(e["from_state"], e["to_state"], e["actor_name"]) for e in events] == [
        ("starting", "running", f"node:{scene.nodes[0].name}"),
        ("placing", "starting", f"node:{scene.nodes[0].name}"),
        ("queued", "placing", "scheduler"),
    ]


def test_list_takes_the_same_queries_for_one_and_for_many(scene: Scene) -> None:
    client = browser(scene.owner)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            json_of(client.get(f"{API}/workloads?page_size=200"))
        return len([q for q in captured if "workloads_" in q["sql"]])

    for number in range(2):
        scene.place(scene.work(gpus=1), scene.placement(cards=(number,)))
    scene.work()
    few = queries()
    for number in range(2, 8):
        scene.place(scene.work(gpus=1), scene.placement(cards=(number,)))
    for _ in range(30):
        scene.work()

    assert queries() == few <= LIST_QUERIES_MAX


def test_queued_work_says_position_and_reasons(scene: Scene) -> None:
    work = scene.work()
    SchedulerPass.objects.create(at=now())
    reasons = [{"code": "insufficient_now", "params": {"resource": "gpu", "free": 0}}]
    PoolQueue.objects.create(
        pool=scene.pool,
        workloads=[work.pk],
        positions=[3],
        answer_of=[0],
        answers=[{"reasons": reasons, "expected": None}],
    )

    (row,) = listed(scene)

    assert (row["position"], row["reasons"]) == (3, reasons)
    Workload.objects.update(queued_at=now() + timedelta(seconds=1))
    (row,) = listed(scene)
    assert (row["position"], row["reasons"]) == (None, [])


def test_silent_scheduler_is_the_first_reason(scene: Scene) -> None:
    scene.work()
    SchedulerPass.objects.create(at=now() - timedelta(seconds=31))

    (row,) = listed(scene)

    assert row["reasons"] == [{"code": "scheduler_down", "params": {}}]


def test_dry_run_keeps_nothing(scene: Scene) -> None:
    client = browser(scene.owner)
    body = {
        "kind": "training",
        "group": scene.group.name,
        "gpus": 4,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }

    def verdict(**change: object) -> Any:
        return json_of(client.post(f"{API}/workloads/dry-run", {**body, **change}, format="json"))

    starts: dict[str, object] = {"verdict": "starts_now", "position": None, "reasons": []}
    nothing: dict[str, object] = {key: [] for key in ("stops", "limits", "ways_out")}
    answer = verdict()
    [place] = answer.pop("placement")
    assert (place["node"], len(place["cards"])) == (scene.nodes[0].name, 4)
    assert answer == {**starts, **nothing, "expected_start": None, "advice": None}
    assert verdict(gpus=9)["verdict"] == "refused"
    assert verdict(gpus=9)["reasons"][0]["code"] == "never_fits"
    scene.place(scene.work(gpus=8), scene.placement(cards=tuple(range(8))))
    waits = verdict()
    assert (waits["verdict"], waits["position"]) == ("waits", 1)
    assert (waits["reasons"][0]["code"], waits["placement"]) == ("insufficient_now", [])
    a_quota(scene.group, ceiling=2000)
    assert verdict()["verdict"] == "refused"
    assert Workload.objects.count() == 1


def test_dry_run_says_who_would_have_to_leave(scene: Scene) -> None:
    work = scene.work(gpus=8, preemptible=True)
    scene.place(work, scene.placement(cards=tuple(range(8))))
    began = now() - timedelta(hours=1)
    for state in ("starting", "running"):
        Workload.objects.filter(pk=work.pk).update(state=state, started_at=began, time_limit_s=7200)
    body = {
        "kind": "training",
        "group": scene.group.name,
        "gpus": 8,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "priority": "high",
    }

    answer = browser(scene.owner).post(f"{API}/workloads/dry-run", body, format="json")

    [leaving] = json_of(answer)["stops"]
    assert (leaving["work"]["name"], leaving["cause"]) == (work.name, "preempted")
    expected = json_of(answer)["expected_start"]
    assert expected is None or expected["earliest"] <= expected["latest"]
    assert Workload.objects.get(pk=work.pk).state == "running"


def test_dry_run_is_for_submitters(scene: Scene) -> None:
    body = {"kind": "training", "group": scene.group.name, "cpu_milli": 1000, "memory_mib": 64}
    path = f"{API}/workloads/dry-run"

    problem_of(browser(a_user()).post(path, body, format="json"), 403, "denied")
    elsewhere = browser(a_member(a_group()))
    problem_of(elsewhere.post(path, body, format="json"), 404, "not_found")
    viewer = browser(a_member(scene.group, "viewer"))
    problem_of(viewer.post(path, body, format="json"), 403, "denied")
