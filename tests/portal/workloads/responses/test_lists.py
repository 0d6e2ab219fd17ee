"""Lists of work: order, filters, what may be done to each row, and the list as a file."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import now
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.workloads import an_allocation
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene()


def names(scene: Scene, query: str) -> list[str]:
    found = json_of(browser(scene.owner).get(f"{API}/workloads?{query}"))["results"]
    return [row["name"] for row in found]


def actions(row: Workload, reader: Any, query: str = "") -> list[str]:
    found = json_of(browser(reader).get(f"{API}/workloads?{query}"))["results"]
    [shown] = [each for each in found if each["id"] == str(row.pk)]
    return list(shown["actions"])


@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        ("-submitted_at", ["b", "a", "c", "a"]),
        ("submitted_at", ["a", "c", "a", "b"]),
        ("name", ["a", "a", "b", "c"]),
        ("-name", ["c", "b", "a", "a"]),
        ("state", ["c", "a", "a", "b"]),
    ],
)
def test_every_order_is_the_same_in_one_page_and_in_many(
    scene: Scene, ordering: str, expected: list[str]
) -> None:
    scene.work(name="a")
    scene.work(name="c", state="failed")
    scene.work(name="a")
    scene.work(name="b", state="suspended", kind="environment")
    client, seen = browser(scene.owner), []
    assert names(scene, f"ordering={ordering}") == expected
    url: str | None = f"{API}/workloads?ordering={ordering}&page_size=1"
    while url:
        page = json_of(client.get(url))
        seen.append(page)
        url = page["next"]
    assert [row["name"] for page in seen for row in page["results"]] == expected
    back = json_of(client.get(seen[-1]["previous"]))
    assert back["results"] == seen[-2]["results"]
    assert len({row["id"] for page in seen for row in page["results"]}) == 4


def test_a_page_goes_on_after_its_last_row_whatever_came_or_went(scene: Scene) -> None:
    for name in ("a", "c: with a colon", "e"):
        scene.work(name=name)
    client = browser(scene.owner)
    first = json_of(client.get(f"{API}/workloads?ordering=name&page_size=2"))
    scene.work(name="b")
    scene.work(name="d")
    Workload.objects.filter(name__startswith="c").update(name="z")
    rest = json_of(client.get(first["next"]))["results"]
    assert [row["name"] for row in rest] == ["d", "e"]


def test_the_longest_name_fits_into_a_cursor(scene: Scene) -> None:
    for _ in range(3):
        scene.work(name="名" * 63)
    first = json_of(browser(scene.owner).get(f"{API}/workloads?ordering=name&page_size=2"))
    assert len(json_of(browser(scene.owner).get(first["next"]))["results"]) == 1


def test_an_order_that_is_none_and_a_cursor_of_another_order_are_refused(scene: Scene) -> None:
    for _ in range(2):
        scene.work()
    client = browser(scene.owner)
    problem = problem_of(client.get(f"{API}/jobs?ordering=owner__password"), 400, "invalid_input")
    [fault] = problem["errors"]
    assert "-submitted_at, submitted_at, -name" in fault["detail"]
    link = json_of(client.get(f"{API}/jobs?ordering=name&page_size=1"))["next"]
    problem_of(client.get(link.replace("ordering=name", "ordering=state")), 400, "bad_cursor")
    problem_of(client.get(link.replace("ordering=name&", "")), 400, "bad_cursor")


def test_lists_are_narrowed_by_pool_owner_model_and_time(scene: Scene) -> None:
    mate = a_member(scene.group)
    elsewhere = scene.work(name="elsewhere")
    asked = scene.work(name="asked", gpus=1, gpu_models=["A100"])
    held = scene.work(name="held", gpus=1, state="running", epoch=1)
    an_allocation(held, scene.nodes[0])
    scene.work(name="plain")
    Workload.objects.filter(pk=elsewhere.pk).update(
        pool=a_pool(), owner=mate, submitted_at=now() - timedelta(days=2)
    )
    Allocation.objects.filter(workload=held).update(gpu_milli_by_model={"H200": 1000})
    assert names(scene, f"pool={Workload.objects.get(pk=elsewhere.pk).pool_id}") == ["elsewhere"]
    assert names(scene, f"owner_name={mate.username}") == ["elsewhere"]
    assert names(scene, "gpu_model=A100") == [asked.name]
    assert names(scene, "gpu_model=H200") == ["held"]
    day_ago = (now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert names(scene, f"until={day_ago}") == ["elsewhere"]
    assert names(scene, f"since={day_ago}&ordering=name") == ["asked", "held", "plain"]
    problem_of(browser(scene.owner).get(f"{API}/jobs?since=yesterday"), 400, "invalid_input")


def test_rows_name_what_their_reader_may_do_now(scene: Scene) -> None:
    waits, held = scene.work(), scene.work(held_by="group_admin")
    ended = scene.work(state="succeeded")
    stopped = scene.work(kind="environment", state="suspended")
    once = scene.work(restart={"rule": "never"})
    again = scene.work()
    for row in (once, again):
        Workload.objects.filter(pk=row.pk).update(state="placing")
    head, viewer = a_member(scene.group, "group_admin"), a_member(scene.group, "viewer")
    mate, operator = a_member(scene.group), a_user(role="operator")
    assert actions(waits, scene.owner) == ["cancel", "hold"]
    assert actions(held, scene.owner) == ["cancel"]
    assert actions(held, head) == actions(held, operator) == ["cancel", "release"]
    assert actions(ended, head) == ["remove"]
    assert actions(once, scene.owner) == ["cancel"]
    assert actions(again, scene.owner) == ["cancel", "requeue"]
    assert actions(stopped, scene.owner) == actions(stopped, head) == ["start", "delete"]
    assert actions(stopped, operator) == ["delete"]
    for row in (waits, held, stopped, again):
        assert actions(row, mate) == actions(row, viewer) == []


def test_what_a_row_offers_is_accepted_and_the_rest_is_refused(scene: Scene) -> None:
    waits, ended = scene.work(), scene.work(state="failed")
    client = browser(scene.owner)
    for row, action in ((waits, "hold"), (waits, "release"), (waits, "cancel")):
        assert action in actions(row, scene.owner)
        assert client.post(f"{API}/jobs/{row.pk}/{action}").status_code == 202
    assert actions(ended, scene.owner) == ["remove"]
    for action in ("hold", "release", "cancel", "requeue"):
        assert client.post(f"{API}/jobs/{ended.pk}/{action}").status_code == 409


def test_orders_filters_and_files_take_the_same_queries_for_one_and_for_many(scene: Scene) -> None:
    def queries(path: str) -> int:
        client = browser(scene.owner)
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert client.get(f"{API}/{path}").status_code == 200
        return len(found)

    paths = (
        "workloads?ordering=-name&gpu_model=A100",
        "workloads?ordering=name",
        "workloads.csv?ordering=name",
    )
    scene.work(gpus=1, gpu_models=["A100"])
    before = [queries(path) for path in paths]
    for _ in range(12):
        scene.work(gpus=1, gpu_models=["A100"])
    assert [queries(path) for path in paths] == before


def test_the_file_has_the_rows_of_the_list_in_its_order(scene: Scene) -> None:
    scene.work(name="b", priority=100)
    scene.work(name="a", state="failed")
    scene.work(name="=1+1")
    answer = browser(scene.owner).get(f"{API}/workloads.csv?ordering=-name&kind=training")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="workloads.csv"' in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["name"] for row in rows] == ["b", "a", "'=1+1"]
    assert (rows[0]["owner"], rows[0]["priority"]) == (scene.owner.username, "high")
    assert rows[1]["state"] == "failed"
    assert rows[0]["submitted_at"].startswith(f"{now():%Y-}")
    stranger = browser(a_user()).get(f"{API}/workloads.csv")
    assert len(stranger.content.decode().splitlines()) == 1
