"""What was held is counted once, in integers, by day and by member; on real PostgreSQL."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import transaction

from portal.common.clock import freeze
from portal.quotas.models import Budget
from portal.site.days import SiteDays
from portal.workloads import gpu_accounting
from portal.workloads.models import Allocation, DailyGpuUse, DecayedGpuUse, Workload
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state import allocations
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_root
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
"""A Wednesday; at the site it is 20:00."""
MINUTE = timedelta(minutes=1)


def placed(scene: Scene, gpus: int = 2) -> tuple[Workload, Allocation]:
    with freeze(NOON):
        work = scene.work(gpus=gpus)
        (held,) = scene.place(work, scene.placement(cards=tuple(range(gpus))))
        scene.links[0].beat()
        scene.links[0].beat(containers=[running(held)])
    return work, held


def ended(scene: Scene, held: Allocation, after: timedelta) -> None:
    with freeze(NOON + after):
        scene.links[0].beat(finished=[finished(held)])


def gpu_seconds() -> int:
    return sum(DailyGpuUse.objects.values_list("gpu_milli_ms", flat=True)) // 1_000_000


def test_what_was_held_is_counted_at_its_end() -> None:
    scene = a_scene()
    work, held = placed(scene)

    ended(scene, held, 30 * MINUTE)

    work.refresh_from_db()
    assert gpu_seconds() == work.attained_gpu_s == 2 * 30 * 60
    (use,) = DecayedGpuUse.objects.all()
    assert (use.group_id, use.user_id, use.gpu_milli_ms) == (
        scene.group.pk,
        scene.owner.pk,
        2 * 30 * 60 * 1_000_000,
    )


def test_counting_in_between_changes_no_sum() -> None:
    scene = a_scene()
    _, held = placed(scene)
    counted = []
    for minutes in (5, 20, 25, 90):
        with freeze(NOON + minutes * MINUTE):
            counted.append(gpu_accounting.count_running())

    ended(scene, held, 100 * MINUTE)

    assert counted == [0, 1, 0, 1]
    assert gpu_seconds() == 2 * 100 * 60


def test_a_release_goes_on_from_what_was_counted_meanwhile() -> None:
    scene = a_scene()
    work, as_read_before = placed(scene)
    with freeze(NOON + 20 * MINUTE):
        gpu_accounting.count_running()

    with freeze(NOON + 30 * MINUTE), transaction.atomic():
        allocations.release_unsent([(work, as_read_before)])

    assert gpu_seconds() == 2 * 30 * 60


def test_a_night_is_cut_at_the_midnight_of_the_site() -> None:
    scene = a_scene()
    _, held = placed(scene)

    ended(scene, held, timedelta(hours=6))

    days = dict(DailyGpuUse.objects.values_list("day", "gpu_milli_ms"))
    hour = 2 * 3600 * 1_000_000
    assert days == {date(2030, 5, 15): 4 * hour, date(2030, 5, 16): 2 * hour}


def test_the_snapshot_knows_use_up_to_now_and_forgets_half_in_a_week() -> None:
    scene = a_scene()
    _, held = placed(scene)
    with freeze(NOON + 30 * MINUTE):
        (live,) = load_snapshot().usage
    ended(scene, held, 60 * MINUTE)
    with freeze(NOON + 60 * MINUTE + timedelta(days=7)):
        (later,) = load_snapshot().usage

    assert (live.group, live.user, live.gpu_seconds) == (
        str(scene.group.pk),
        str(scene.owner.pk),
        2 * 30 * 60,
    )
    assert later.gpu_seconds == 2 * 60 * 60 // 2


def test_a_budget_counts_its_period_and_all_groups_below() -> None:
    scene = a_scene()
    Budget.objects.create(group=a_root(), pool=scene.pool, period="day", gpu_hours=10)
    Budget.objects.create(group=scene.group, pool=None, period="week", gpu_hours=100)
    _, held = placed(scene)
    ended(scene, held, timedelta(hours=6))

    with freeze(NOON + timedelta(hours=7)):
        by_limit = {view.limit: view for view in load_snapshot().budgets}

    day, week = by_limit[10 * 3600], by_limit[100 * 3600]
    assert (day.used, week.used) == (2 * 2 * 3600, 2 * 6 * 3600)
    assert day.ends_at == datetime(2030, 5, 16, 16, tzinfo=UTC).timestamp() * 1000
    assert week.ends_at == datetime(2030, 5, 19, 16, tzinfo=UTC).timestamp() * 1000


def test_run_times_are_learned_from_what_has_ended() -> None:
    scene = a_scene()
    for minutes in (10, 20, 30):
        work, held = placed(scene, gpus=1)
        ended(scene, held, minutes * MINUTE)
        work.refresh_from_db()
        assert work.state == "succeeded"
    scene.work(gpus=1)

    with freeze(NOON + timedelta(hours=2)):
        (waiting,) = load_snapshot().pending

    assert waiting.expected_s == 20 * 60


def test_a_budget_counts_its_group_with_all_below_in_its_pool_or_in_all() -> None:
    above = a_group("lab")
    below, other = a_group("vision", parent=above), a_group("robots")
    one, two = a_pool("training"), a_pool("notebooks")
    for group, pool, day, hours in (
        (above, one, 15, 1),
        (below, one, 15, 2),
        (below, two, 15, 4),
        (other, one, 15, 8),
        (below, one, 14, 16),
    ):
        DailyGpuUse.objects.create(
            group=group,
            user=a_member(group),
            pool=pool,
            day=date(2030, 5, day),
            gpu_milli_ms=hours * 3600 * 1_000_000,
        )
    live = {(below.pk, two.pk): 32 * 3600 * 1_000_000, (other.pk, two.pk): 64 * 3600 * 1_000_000}
    rows = [
        Budget(group=group, pool=pool, period=period, gpu_hours=1)
        for group, pool, period in (
            (above, None, "day"),
            (above, one, "day"),
            (below, None, "day"),
            (below, two, "day"),
            (other, None, "day"),
            (above, None, "week"),
            (below, one, "week"),
        )
    ]

    used = gpu_accounting.budget_uses_for_system(rows, NOON, SiteDays("UTC"), live)

    assert [gpu_s // 3600 for gpu_s in used] == [39, 3, 38, 36, 72, 55, 18]
