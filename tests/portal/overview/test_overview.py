"""The overview: each figure is what the page shows to which it leads, for every role; on PostgreSQL."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from django.core.cache import cache
from django.db import connection
from django.db.models import Sum
from django.test.utils import CaptureQueriesContext

from portal.alarms.evaluation import evaluate_alarms
from portal.common.clock import freeze, now
from portal.demo import organisation, services
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node, Pool
from portal.metering.services import update_usage
from portal.quotas.models import Budget, Quota
from portal.site.services import change_settings
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, Recovery, SchedulerPass, Workload
from scheduler.runtime.loop import run_once
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_member, a_user, an_actor
from tests.builders.scenes import a_quota, a_scene
from tests.builders.scripted_node import finished
from tests.builders.volumes import a_group_volume, a_home
from tests.builders.workloads import a_workload
from tests.portal.overview.columns import holders_of
from tests.portal.overview.scene import (
    HOUR,
    MINUTES,
    admin,
    another,
    measured,
    overview,
    partitions_at,
    run_at,
)
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NOON: Final = datetime(2030, 5, 15, 12, tzinfo=UTC)
MINUTE: Final = timedelta(minutes=1)
PARTS: Final = ("", "/waits", "/near-limits", "/recent")
"""The answers of one page."""
QUERIES_MAX: Final = 24
"""Of one overview with everything in it and nothing kept, with sign-in and rights; rows add none."""
KEPT_QUERIES_MAX: Final = 18
"""Of the same while what Celery refreshes is kept."""
PART_QUERIES_MAX: Final = {"/waits": 9, "/near-limits": 15, "/recent": 10}
EMPTY: Final = {"total": 0}
QUEUED: Final = ("by_pool", "by_reason", "by_group", "longest")
HOURS: Final = MINUTES.replace("minute", "hour")


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    """The figures of the last 24 hours are kept for some minutes, beyond a test."""
    cache.clear()


def test_who_holds_what_is_what_quotas_count_and_the_map_shows() -> None:
    scene = a_scene(nodes=2, cards=4)
    other = another(scene)
    quotas = [a_quota(each.group, ceiling=8000) for each in (scene, other)]
    start = now() - 3 * HOUR
    busy = run_at(scene, start, cards=(0, 1))
    idle = run_at(other, start, cards=(2,))
    unknown = run_at(other, start, cards=(0, 1, 2), node=1)
    partitions_at(start)
    measured(busy, 80, start, now())
    measured(idle, 70, start, now() - 31 * MINUTE)
    measured(idle, 1, now() - 30 * MINUTE, now())
    Node.objects.update(last_seen_at=now())
    reader = admin()

    shown = overview(reader)

    by_group = {row["group"]["id"]: row for row in shown["groups"]}
    for quota in quotas:
        used = Quota.objects.get(pk=quota.pk).used
        assert by_group[str(quota.group_id)]["held"]["gpu_milli"] == used > 0
    assert shown["held"] == {
        "gpu_milli": 6000, "idle_milli": 1000, "unmeasured_milli": 3000, "workloads": 3,
    }  # fmt: skip
    assert [row["user"]["id"] for row in shown["people"]] == [
        str(other.owner.pk),
        str(scene.owner.pk),
    ]
    [row] = shown["idle"]
    assert (row["name"], row["gpu_milli"], row["use_pct"]) == (idle.workload.name, 1000, 1)
    since = datetime.fromisoformat(row["since"])
    assert now() - 32 * MINUTE < since < now() - 28 * MINUTE
    [pool] = shown["pools"]
    assert (pool["gpus_total"], pool["gpus_held"], pool["gpus_free"]) == (8, 6, 2)
    assert pool["idle_milli"] == 1000

    card_map = json_of(browser(reader).get(f"{API}/card-map"))
    parts, holders = card_map["parts"], holders_of(card_map)
    held = [
        (milli, holders[at]) for milli, at in zip(parts["gpu_milli"], parts["holder"], strict=True)
    ]
    assert sum(milli for milli, _ in held) == shown["held"]["gpu_milli"]
    assert sum(milli for milli, by in held if by["idle_since"]) == shown["held"]["idle_milli"]
    of_other = [milli for milli, by in held if by["group"]["id"] == str(other.group.pk)]
    assert sum(of_other) == by_group[str(other.group.pk)]["held"]["gpu_milli"]
    assert unknown.workload.name in {by["name"] for _, by in held}
    # Pools are counted by SQL here and by Python there.
    [capacity] = [
        row["capacity"] for row in json_of(browser(reader).get(f"{API}/pools"))["results"]
    ]
    for name in ("gpus_total", "gpus_free", "slices_total", "slices_free"):
        assert pool[name] == capacity[name]
        assert type(pool[name]) is int, name


def test_what_is_idle_began_at_the_last_busy_hour_or_with_the_start() -> None:
    scene = a_scene(cards=3)
    start = now() - 5 * HOUR
    by_hour, never, fresh = (
        run_at(scene, at, cards=(card,))
        for card, at in enumerate((start, start, now() - 5 * MINUTE))
    )
    partitions_at(start)
    for held in (by_hour, never, fresh):
        measured(held, 0, max(start, now() - 90 * MINUTE), now())
    busy_until = (now() - 3 * HOUR).replace(minute=0, second=0, microsecond=0)
    with connection.cursor() as cursor:
        cursor.execute(HOURS, [by_hour.pk, 60, busy_until - HOUR, busy_until - HOUR])

    since = {row["name"]: row["since"] for row in overview(admin())["idle"]}

    assert set(since) == {by_hour.workload.name, never.workload.name}  # fresh has just begun
    assert datetime.fromisoformat(since[by_hour.workload.name]) == busy_until
    assert abs(datetime.fromisoformat(since[never.workload.name]) - start) < MINUTE


def test_who_waits_and_why_is_what_the_queue_lists() -> None:
    scene = a_scene(cards=4)
    other = another(scene)
    a_quota(other.group, ceiling=1000)
    run_at(scene, now() - HOUR, cards=(0, 1, 2))
    long_ago = now() - 7 * HOUR
    for _ in range(2):
        scene.work(gpus=4)
    first = other.work(gpus=2, submitted_at=long_ago, queued_at=long_ago)
    run_once()
    late = scene.work(gpus=1)
    client = browser(admin())

    shown = json_of(client.get(f"{API}/overview/waits"))

    queued = Workload.objects.filter(state="queued").count()
    [pool] = json_of(client.get(f"{API}/pools"))["results"]
    assert shown["total"] == queued == pool["capacity"]["waiting"]
    assert [(row["pool"]["id"], row["count"]) for row in shown["by_pool"]] == [(pool["id"], queued)]
    assert sum(row["count"] for row in shown["by_reason"]) == queued
    assert sum(row["count"] for row in shown["by_group"]) == queued
    assert shown["longest"][0]["work"]["name"] == first.name
    assert shown["by_pool"][0]["oldest_at"] == shown["longest"][0]["queued_at"]
    reasons = {row["code"]: row["count"] for row in shown["by_reason"]}
    assert reasons.pop("") == 1  # no pass has looked at it yet
    assert len(reasons) > 1
    address = f"{API}/pools/{scene.pool.pk}/queue"
    for code, count in reasons.items():
        listed = json_of(client.get(f"{address}?reason={code}"))
        assert listed["waiting_total"] == count == len(listed["waiting"])
        assert {row["reasons"][0]["code"] for row in listed["waiting"]} == {code}
    of_other = json_of(client.get(f"{address}?group={other.group.pk}"))
    assert [row["work"]["name"] for row in of_other["waiting"]] == [first.name]
    problem_of(browser(scene.owner).get(f"{address}?group={other.group.pk}"), 404, "not_found")
    assert late.name not in str(of_other)


def test_what_is_not_well_is_one_line_each() -> None:
    scene = a_scene(nodes=3, cards=2)
    reader = admin()
    SchedulerPass.objects.create(at=now())
    assert overview(reader)["problems"] == []

    SchedulerPass.objects.update(at=now() - 5 * MINUTE)
    silent, warned, held = scene.nodes
    Node.objects.filter(pk=silent.pk).update(state="lost", last_seen_at=now() - HOUR)
    fault = {"code": "disk_pressure", "detail": "", "is_blocking": False}
    Node.objects.filter(pk=warned.pk).update(faults=[fault])
    Node.objects.filter(pk=held.pk).update(state="cordoned", hold="cordon")
    Accelerator.objects.filter(node=warned, index=1).update(state="suspect", fault="xid_79")
    Recovery.objects.create(data_until=now())
    evaluate_alarms()

    shown = overview(reader)["problems"]

    assert [row["code"] for row in shown] == [
        "scheduler_silent", "nodes_down", "gpus_faulty", "restore_pending", "nodes_warn",
        "alarms_firing", "nodes_held",
    ]  # fmt: skip
    by_code = {row["code"]: row for row in shown}
    firing = json_of(browser(reader).get(f"{API}/alarms/counts"))["firing"]
    assert by_code["alarms_firing"]["count"] == firing > 0
    assert by_code["nodes_down"]["subjects"][0]["name"] == silent.name
    assert by_code["gpus_faulty"]["subjects"][0] == {
        "node": str(warned.pk), "name": f"{warned.name} #1", "detail": "xid_79",
    }  # fmt: skip
    assert by_code["nodes_warn"]["subjects"][0]["detail"] == "disk_pressure"
    # The same nodes and GPUs as on their own page, and as the probe of the platform counts.
    nodes = json_of(browser(reader).get(f"{API}/nodes"))["results"]
    assert (
        sum(node["state"] in ("unready", "lost") for node in nodes)
        == by_code["nodes_down"]["count"]
    )
    cards = [card for node in nodes for card in node["accelerators"]]
    assert sum(card["state"] != "ok" for card in cards) == by_code["gpus_faulty"]["count"]
    assert json_of(browser(reader).get("/readyz"))["silent_nodes"] == by_code["nodes_down"]["count"]
    # Only those who end a restore are told of it.
    auditor = {row["code"] for row in overview(a_user(role="auditor"))["problems"]}
    assert "restore_pending" not in auditor
    assert "nodes_down" in auditor


def test_what_is_near_its_limit_is_what_its_page_shows() -> None:
    scene = a_scene()
    full = a_quota(scene.group, ceiling=1000)
    a_quota(scene.group, "cpu", ceiling=1000)
    Budget.objects.create(group=scene.group, period="month", gpu_hours=1)
    Budget.objects.create(group=scene.group, period="week", gpu_hours=1000)
    run_at(scene, now() - 3 * HOUR, cards=(0,))
    Node.objects.update(disk_mib=4_000_000, disk_free_mib=100_000)
    a_group_volume(scene.group, "data", quota_mib=100, used_mib=90)
    a_home(scene.owner, quota_mib=100, used_mib=89)
    reader = admin()

    shown = overview(reader, "/near-limits")

    near = {row["kind"]: row for row in shown["limits"]}
    assert set(near) == {"quota", "budget", "disk", "volume"}
    assert shown["total"] == len(shown["limits"])
    budgets = json_of(browser(reader).get(f"{API}/budgets"))
    month = next(row for row in budgets if row["period"] == "month")
    assert near["budget"]["id"] == month["id"]
    assert abs(near["budget"]["used"] - month["used"]) < 60
    quotas = json_of(browser(reader).get(f"{API}/quotas"))
    assert near["quota"]["used"] == next(row for row in quotas if row["id"] == str(full.pk))["used"]
    assert near["disk"]["used_pct"] == 97
    assert near["volume"]["name"] == "data"
    # A head is shown what is hers; disks of nodes are not.
    head = a_member(scene.group, "group_admin")
    of_head = overview(head, "/near-limits")["limits"]
    assert {row["kind"] for row in of_head} == {"quota", "budget", "volume"}


def test_the_last_24_hours_are_at_midnight_what_the_meter_has_of_the_day() -> None:
    scene = a_scene(cards=8)
    change_settings(actor=an_actor(admin()), changes={"time_zone": "UTC"})
    midnight = datetime(2030, 5, 16, tzinfo=UTC)
    partitions_at(midnight - HOUR)
    ran = run_at(scene, midnight - 10 * HOUR, cards=(0, 1))
    measured_by_hour(ran, 40, midnight - 10 * HOUR, midnight - 6 * HOUR)
    measured_by_hour(ran, 2, midnight - 5 * HOUR, midnight - 5 * HOUR)
    with freeze(midnight - 4 * HOUR):
        scene.links[0].beat(finished=[finished(ran, code=1)])
    over = run_at(scene, midnight - 30 * HOUR, cards=(2,))
    with freeze(midnight - 5 * HOUR):
        scene.links[0].beat(finished=[finished(over)])
    run_at(scene, midnight - HOUR, cards=(3,))
    reader = admin()

    with freeze(midnight):
        update_usage()
        client = browser(reader)
        shown = json_of(client.get(f"{API}/overview/recent"))
        for window, day in (("last", "2030-05-15"), ("before", "2030-05-14")):
            days = f"first_day={day}&last_day={day}"
            total = json_of(client.get(f"{API}/usage?{days}"))["total"]
            for name in ("gpu_milli_s", "sampled_milli_s", "idle_milli_s", "busy_milli_s"):
                assert shown[window][name] == total[name], (window, name)
            waits = json_of(client.get(f"{API}/usage/waits?{days}"))["rows"]
            every = next((row for row in waits if row["kind"] == ""), {"count": 0})
            assert shown[window]["started"] == every["count"]
            assert shown[window]["wait_p95_s"] == every.get("p95_s")
            assert shown[window]["wait_p50_s"] == every.get("p50_s")
    assert shown["last"]["ended"] == {"failed": 1, "completed": 1}
    assert shown["last"]["idle_milli_s"] > 0
    assert shown["before"]["gpu_milli_s"] == 6 * 3600 * 1000


def measured_by_hour(held: Allocation, pct: int, since: datetime, until: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(HOURS, [held.pk, pct, since, until])


def test_each_role_of_the_organisation_sees_what_it_looks_after() -> None:
    services.seed_organisation("a-long-password")
    vision, speech = (Group.objects.get(name=name) for name in ("vision", "speech"))
    pool = Pool.objects.order_by("name").first()
    assert pool is not None
    a_node(pool)
    people = {team.name: User.objects.get(username=team.people[1]) for team in organisation.TEAMS}
    for group, count in ((vision, 1), (speech, 2)):
        for _ in range(count):
            a_workload(people[group.name], group, pool, gpus=1)

    for role in ("platform_admin", "operator", "auditor"):
        reader = a_user(role=role)
        shown = overview(reader)
        assert (shown["is_whole"], overview(reader, "/waits")["total"]) == (True, 3)
        assert {row["pool"]["name"] for row in shown["pools"]} == set(
            Pool.objects.values_list("name", flat=True)
        )
    head = User.objects.get(username=organisation.TEAMS[0].people[0])
    shown, waits = overview(head), overview(head, "/waits")
    assert (shown["is_whole"], waits["total"], shown["pools"]) == (False, 1, [])
    assert {row["group"]["name"] for row in waits["by_group"]} == {"vision"}
    assert {row["code"] for row in shown["problems"]} <= {"scheduler_silent", "alarms_firing"}
    for user in (people["vision"], a_member(vision, "viewer"), a_user()):
        for part in PARTS:
            problem_of(browser(user).get(f"{API}/overview{part}"), 403, "denied")
    above = vision.parent
    assert above is not None
    root_head = a_member(above, "group_admin")
    assert overview(root_head, "/waits")["total"] == 3


def test_its_queries_do_not_grow_with_what_it_shows() -> None:
    scene = a_scene(nodes=2, cards=8)
    reader = admin()

    def asked(address: str) -> int:
        client = browser(reader)
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            json_of(client.get(f"{API}/{address}"))
        return len(captured)

    partitions_at(now())

    def add(card: int) -> None:
        other = another(scene)
        a_quota(other.group, ceiling=1000)
        Budget.objects.create(group=other.group, period="month", gpu_hours=1)
        held = run_at(other, now() - HOUR, cards=(card,))
        measured(held, 0, now() - 20 * MINUTE, now())
        other.work(gpus=8)

    add(0)
    run_once()
    addresses = [*(f"overview{part}" for part in PARTS), "card-map"]
    first = {address: asked(address) for address in addresses}
    for card in range(1, 5):
        add(card)
    run_once()

    assert {address: asked(address) for address in first} == first
    assert first["overview"] <= QUERIES_MAX
    for part in PARTS[1:]:
        assert first[f"overview{part}"] <= PART_QUERIES_MAX[part]
    client = browser(reader)
    json_of(client.get(f"{API}/overview"))
    with CaptureQueriesContext(connection) as captured:
        json_of(client.get(f"{API}/overview"))
    assert len(captured) <= KEPT_QUERIES_MAX
    assert asked("card-map/values") <= PART_QUERIES_MAX["/recent"]


def test_nothing_is_counted_where_nothing_is() -> None:
    a_pool()
    shown = overview(admin())
    assert shown["held"] == {"gpu_milli": 0, "idle_milli": 0, "unmeasured_milli": 0, "workloads": 0}
    assert shown["idle_total"] == 0
    assert overview(admin(), "/waits") == EMPTY | {key: [] for key in QUEUED}
    assert overview(admin(), "/near-limits") == EMPTY | {"limits": []}
    recent = json_of(browser(admin()).get(f"{API}/overview/recent"))
    assert recent["last"]["gpu_milli_s"] == 0
    assert recent["last"]["wait_p50_s"] is None
    assert Allocation.objects.aggregate(sum=Sum("total_gpu_milli"))["sum"] is None
