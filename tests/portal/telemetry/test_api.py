"""Charts: what was measured, in steps, for those who may see it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import freeze, now, to_millis
from portal.execution.samples import CardUse, ContainerUse, NodeSample
from portal.inventory.models import Node
from portal.telemetry import services
from portal.workloads.models import Allocation
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, problem_of

STATEMENTS_MAX = 9
"""Of one answer: who asks, what they may see, retention, and at most two reads of samples."""
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def line(shown: Any, metric: str, title: str) -> list[float | None]:
    """Return the values of one line that are not null."""
    [found] = [
        item["values"]
        for item in shown["series"]
        if (item["metric"], item["title"]) == (metric, title)
    ]
    return [value for value in found if value is not None]


def a_minute_ago() -> datetime:
    return now().replace(microsecond=0) - timedelta(minutes=1)


def test_cards_of_a_node_have_a_line_each() -> None:
    node, began = a_node(a_pool(), cards=2), a_minute_ago()
    samples = tuple(
        NodeSample(
            at=to_millis(began + timedelta(seconds=10 * n)),
            cards=tuple(
                CardUse(uuid=card.uuid, utilisation_pct=10 * n + card.index, power_mw=70_500)
                for card in node.accelerators.order_by("index")
            ),
        )
        for n in range(3)
    )
    services.record_samples(node.pk, samples)

    shown = json_of(browser(a_user()).get(f"{API}/telemetry?node={node.pk}&step_s=10"))

    assert shown["step_s"] == 10
    assert all(len(item["values"]) == len(shown["times"]) for item in shown["series"])
    assert line(shown, "gpu_utilisation", "0") == [0, 10, 20]
    assert line(shown, "gpu_utilisation", "1") == [1, 11, 21]
    assert line(shown, "power", "0") == [70.5] * 3
    assert line(shown, "gpu_memory", "0") == []
    [memory_mib] = set(node.accelerators.values_list("memory_mib", flat=True))
    assert (limit(shown, "gpu_memory"), limit(shown, "power")) == (memory_mib, None)


def test_a_chart_with_nothing_new_is_not_sent_again() -> None:
    node, user = a_node(a_pool(), cards=1), browser(a_user())
    address = f"{API}/telemetry?node={node.pk}&step_s=10"
    moment = now().replace(second=5, microsecond=0)
    with freeze(moment):
        tag = user.get(address)["ETag"]
        same = user.get(address, headers={"If-None-Match": tag})
        record_cards(node, pct=1, power_mw=70_500)
    with freeze(moment + timedelta(seconds=2)):
        grown = user.get(address, headers={"If-None-Match": tag})

    assert (same.status_code, same.content) == (304, b"")
    assert line(json_of(grown), "power", "0") == [70.5]


def record_cards(node: Node, *, pct: int, power_mw: int) -> None:
    """Record one sample of every card of a node now: `pct` times its index."""
    cards = tuple(
        CardUse(uuid=card.uuid, utilisation_pct=pct * card.index, power_mw=power_mw)
        for card in node.accelerators.order_by("index")
    )
    services.record_samples(node.pk, (NodeSample(at=to_millis(now()), cards=cards),))


def limit(shown: Any, metric: str) -> float | None:
    """Return the limit of the first line of a metric."""
    found: list[float | None] = [
        item["limit"] for item in shown["series"] if item["metric"] == metric
    ]
    return found[0]


def test_pools_and_the_cluster_show_means_weighted_by_cards_and_sums() -> None:
    wide, narrow = a_pool(), a_pool()
    with freeze(now() - timedelta(minutes=5)):
        record_cards(a_node(wide, cards=3), pct=20, power_mw=50_000)
        record_cards(a_node(narrow, cards=1), pct=0, power_mw=70_000)
    memory = a_node(narrow, cards=1).accelerators.get().memory_mib
    services.roll_up()
    user = browser(a_user())

    shown = {
        subject: json_of(user.get(f"{API}/telemetry?{subject}&step_s=5"))
        for subject in (f"pool={wide.pk}", "cluster=true")
    }

    of_pool, of_cluster = shown.values()
    assert {each["step_s"] for each in shown.values()} == {60}
    assert line(of_pool, "gpu_utilisation", wide.name) == [20]
    assert line(of_pool, "power", wide.name) == [150]
    assert line(of_cluster, "gpu_utilisation", "cluster") == [15]
    assert line(of_cluster, "power", "cluster") == [220]
    assert (limit(of_pool, "gpu_memory"), limit(of_pool, "power")) == (3 * memory, None)
    assert limit(of_cluster, "gpu_memory") == 5 * memory


@pytest.mark.parametrize("role", ["", "auditor", "platform_admin"])
def test_every_user_may_see_what_pools_and_the_cluster_use(role: str) -> None:
    node = a_node(a_pool(), cards=1)
    users = [a_user(role=role)] if role else [a_user(), a_member(a_group())]

    for user in users:
        for subject in ("cluster=true", f"pool={node.pool_id}", f"node={node.pk}"):
            shown = json_of(browser(user).get(f"{API}/telemetry?{subject}"))
            metrics = [item["metric"] for item in shown["series"]]
            assert metrics[:4] == ["gpu_utilisation", "gpu_memory", "power", "temperature"]
            assert (len(metrics) > 4) == subject.startswith("node")


def test_a_rolled_up_history_goes_on_with_the_minutes_after_it() -> None:
    noon = now().replace(minute=0, second=0, microsecond=0)
    node = a_node(a_pool(), cards=2)
    for minutes, pct in ((-150, 10), (-90, 20), (-10, 30)):
        with freeze(noon + timedelta(minutes=minutes)):
            record_cards(node, pct=pct, power_mw=1_000)
        with freeze(noon + timedelta(minutes=minutes + 5)):
            services.roll_up()
    with freeze(noon + timedelta(minutes=1, seconds=40)):
        services.roll_up()
    with freeze(noon + timedelta(minutes=4)):
        record_cards(node, pct=40, power_mw=1_000)
    with freeze(noon + timedelta(minutes=10)):
        services.roll_up()
        since = (noon - timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
        user = browser(a_user())
        of_node = json_of(user.get(f"{API}/telemetry?node={node.pk}&since={since}"))
        of_pool = json_of(user.get(f"{API}/telemetry?pool={node.pool_id}&since={since}"))

    assert of_node["step_s"] == of_pool["step_s"] == 3600
    assert line(of_node, "gpu_utilisation", "1") == [10, 20, 30, 40]
    assert line(of_pool, "power", node.pool.name) == [2, 2, 2, 2]


def test_work_is_shown_to_its_group_and_to_nobody_else() -> None:
    group, pool, began = a_group(), a_pool(), a_minute_ago()
    owner = a_member(group)
    work = a_workload(owner, group, pool, state="running")
    attempt = an_allocation(work, a_node(pool))
    samples = tuple(
        NodeSample(
            at=to_millis(began + timedelta(seconds=10 * n)),
            containers=(
                ContainerUse(
                    allocation=attempt.wire_name,
                    epoch=attempt.epoch,
                    cpu_ms=20_000 * n,
                    memory_mib=64,
                    gpu_utilisation_pct=30,
                ),
            ),
        )
        for n in range(3)
    )
    services.record_samples(attempt.node_id, samples)
    address = f"{API}/telemetry?workload={work.pk}&step_s=10"

    shown = json_of(browser(owner).get(address))

    assert line(shown, "cpu", "0") == [2000, 2000]
    assert line(shown, "memory", "0") == [64, 64, 64]
    assert line(shown, "gpu_utilisation", "0") == [30, 30, 30]
    assert line(shown, "received", "0") == []
    assert (limit(shown, "cpu"), limit(shown, "memory")) == (attempt.cpu_milli, attempt.memory_mib)
    stranger = browser(a_member(a_group())).get(address)
    problem_of(stranger, 404, "not_found")


def test_of_a_wide_job_some_ranks_are_shown_at_a_time() -> None:
    group, pool, began = a_group(), a_pool(), a_minute_ago()
    owner = a_member(group)
    work, node = a_workload(owner, group, pool, state="running", replicas=20), a_node(pool)
    held = [an_allocation(work, node, rank=rank) for rank in range(20)]
    containers = tuple(
        ContainerUse(allocation=one.wire_name, epoch=one.epoch, cpu_ms=0, memory_mib=one.rank)
        for one in held
    )
    sample = NodeSample(at=to_millis(began), containers=containers)
    services.record_samples(node.pk, (sample,))
    user, address = browser(owner), f"{API}/telemetry?workload={work.pk}&step_s=10"

    for first, ranks in ((0, range(8)), (8, range(8, 16)), (16, range(16, 20)), (63, ())):
        shown = json_of(user.get(f"{address}&first_rank={first}"))
        assert [line(shown, "memory", f"{rank}") for rank in ranks] == [[rank] for rank in ranks]
        assert {item["title"] for item in shown["series"]} == {f"{rank}" for rank in ranks}
    assert json_of(user.get(address)) == json_of(user.get(f"{address}&first_rank=0"))


def test_attempts_that_meet_in_a_step_are_one_line() -> None:
    group, pool, began = a_group(), a_pool(), a_minute_ago().replace(second=0)
    owner = a_member(group)
    work, node = a_workload(owner, group, pool, state="running"), a_node(pool)
    first = an_allocation(work, node)
    Allocation.objects.update(state="released", released_at=now())
    work.epoch += 1
    work.save()
    second = an_allocation(work, node)
    rows = (
        (first, 0, 100, 20),
        (first, 10, 100, None),
        (first, 20, 100, 20),
        (second, 20, 7, 50),
        (second, 30, 7, 50),
    )
    sample = NodeSample(at=to_millis(began))
    services.record_samples(node.pk, (sample,))
    with connection.cursor() as cursor:
        for attempt, second_at, memory_mib, pct in rows:
            at = began + timedelta(seconds=second_at)
            cursor.execute(
                "INSERT INTO telemetry_work_raw (series, at, last_at, memory_mib, gpu_utilisation_pct)"
                " VALUES (%s, %s, %s, %s, %s)",
                [attempt.pk, at, at, memory_mib, pct],
            )

    shown = json_of(browser(owner).get(f"{API}/telemetry?workload={work.pk}&step_s=10"))

    assert line(shown, "memory", "0") == [100, 100, 107, 7]
    assert line(shown, "gpu_utilisation", "0") == [20, 35, 50]


def test_every_chart_asks_the_database_as_often_however_long_it_is() -> None:
    group, pool = a_group(), a_pool()
    owner, node = a_member(group), a_node(pool)
    work = a_workload(owner, group, pool, state="running", replicas=8)
    for rank in range(8):
        an_allocation(work, node, rank=rank)
    user, asked = browser(owner), {}
    for subject in (f"node={node.pk}", f"pool={pool.pk}", "cluster=true", f"workload={work.pk}"):
        for days in (0.01, 1, 30, 3 * 365):
            since = (now() - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
            with CaptureQueriesContext(connection) as captured:
                json_of(user.get(f"{API}/telemetry?{subject}&since={since}"))
            asked[subject.split("=")[0], days] = len(captured)

    assert max(asked.values()) <= STATEMENTS_MAX, asked


def test_a_counter_that_begins_anew_is_a_gap_and_no_negative_rate() -> None:
    group, pool, began = a_group(), a_pool(), a_minute_ago()
    owner = a_member(group)
    attempt = an_allocation(a_workload(owner, group, pool, state="running"), a_node(pool))
    samples = tuple(
        NodeSample(
            at=to_millis(began + timedelta(seconds=10 * n)),
            containers=(
                ContainerUse(
                    allocation=attempt.wire_name, epoch=attempt.epoch, cpu_ms=cpu_ms, memory_mib=1
                ),
            ),
        )
        for n, cpu_ms in enumerate((9_000, 0, 10_000))
    )
    services.record_samples(attempt.node_id, samples)
    address = f"{API}/telemetry?workload={attempt.workload_id}&step_s=10"

    assert line(json_of(browser(owner).get(address)), "cpu", "0") == [1000]


def test_old_times_come_from_coarser_tables() -> None:
    node = a_node(a_pool(), cards=1)
    [card] = node.accelerators.all()
    long_ago = now() - timedelta(days=10)
    with freeze(long_ago):
        sample = CardUse(uuid=card.uuid, utilisation_pct=44)
        services.record_samples(node.pk, (NodeSample(at=to_millis(now()), cards=(sample,)),))
    with freeze(long_ago + timedelta(minutes=5)):
        services.roll_up()
    since, until = (
        (long_ago + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (-1, 1)
    )

    shown = json_of(
        browser(a_user()).get(
            f"{API}/telemetry?card={card.pk}&since={since}&until={until}&step_s=10"
        )
    )

    assert shown["step_s"] == 60
    assert line(shown, "gpu_utilisation", "0") == [44]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("node={id}", 404, "not_found"),
        ("card={id}", 404, "not_found"),
        ("pool={id}", 404, "not_found"),
        ("pool={known}&step_s=1", 422, "too_many_points"),
        ("pool={known}&since=2999-01-01T00:00:00Z", 422, "time_empty"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(query: str, status: int, code: str) -> None:
    pool, user = a_pool(), a_user()

    answer = browser(user).get(f"{API}/telemetry?{query.format(id=user.pk, known=pool.pk)}")

    problem_of(answer, status, code)


@pytest.mark.parametrize("query", ["", "pool={id}&node={id}", "cluster=true&node={id}"])
def test_exactly_one_subject_is_asked_for(query: str) -> None:
    user = a_user()

    answer = browser(user).get(f"{API}/telemetry?{query.format(id=user.pk)}")

    [fault] = problem_of(answer, 400, "invalid_input")["errors"]
    assert fault["code"] == "one_subject_needed"
