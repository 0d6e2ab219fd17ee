"""Site settings: who may change them, within which bounds, and that a change holds everywhere."""

from datetime import UTC, date, datetime, timedelta

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.inventory.models import Node
from portal.quotas.models import Budget
from portal.site.models import CarbonChange, SiteSettings
from portal.site.selectors import settings_for_system
from portal.workloads import tasks
from portal.workloads.models import DailyGpuUse, Workload
from portal.workloads.snapshot.loader import load_site, load_snapshot
from portal.workloads.state.budget_check import load_budget_statuses
from tests.builders.people import a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.rest import API, browser, json_of, problem_of, stranger
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

SETTINGS = f"{API}/site-settings"
NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
"""A Wednesday; in Shanghai, where the site is, it is 20:00."""
HOUR = timedelta(hours=1)


def an_admin() -> APIClient:
    return browser(a_user(role="platform_admin"))


def change(client: APIClient, **settings: object) -> object:
    return json_of(client.patch(SETTINGS, settings, format="json"))


def test_what_is_not_set_is_as_the_installation_and_the_product_have_it() -> None:
    with override_site_config(outputs_kept_days=12):
        shown = json_of(an_admin().get(SETTINGS))

    assert (shown["time_zone"], shown["outputs_kept_days"]) == ("Asia/Shanghai", 12)
    assert (shown["half_life_s"], shown["entry_penalty_s"]) == (7 * 24 * 3600, 3600)
    (bounds,) = [row for row in shown["bounds"] if row["name"] == "outputs_kept_days"]
    assert bounds == {"name": "outputs_kept_days", "min": 1, "max": 3650, "default": 12}
    assert "Europe/Berlin" in shown["time_zones"]


def test_a_change_is_audited_with_what_was_before_and_null_goes_back() -> None:
    admin = an_admin()

    change(admin, time_zone="Europe/Berlin", half_life_s=86_400)
    change(admin, half_life_s=None)
    change(admin, half_life_s=None)

    first, second = AuditEvent.objects.filter(action="site.change").order_by("id")
    assert first.params == {
        "time_zone": {"before": "Asia/Shanghai", "after": "Europe/Berlin"},
        "half_life_s": {"before": 604_800, "after": 86_400},
    }
    assert second.params == {"half_life_s": {"before": 86_400, "after": 604_800}}
    assert json_of(stranger().get(f"{API}/config"))["time_zone"] == "Europe/Berlin"


def test_carbon_factors_are_one_or_one_for_each_hour_and_the_past_keeps_its_own() -> None:
    admin, day = an_admin(), [200 + hour for hour in range(24)]

    assert json_of(admin.get(SETTINGS))["carbon_g_per_kwh"] == []
    change(admin, carbon_g_per_kwh=[420])
    change(admin, carbon_g_per_kwh=[420])
    shown = change(admin, carbon_g_per_kwh=day)
    assert isinstance(shown, dict)
    assert shown["carbon_g_per_kwh"] == day
    change(admin, carbon_g_per_kwh=None)

    kept = CarbonChange.objects.order_by("at").values_list("g_per_kwh_before", flat=True)
    assert list(kept) == [[], [420], day]
    first, *_, last = AuditEvent.objects.filter(action="site.change").order_by("id")
    assert first.params == {"carbon_g_per_kwh": {"before": [], "after": [420]}}
    assert last.params == {"carbon_g_per_kwh": {"before": day, "after": []}}


@pytest.mark.parametrize(
    ("setting", "value", "code"),
    [
        ("carbon_g_per_kwh", [1, 2], "carbon_not_by_hour"),
        ("carbon_g_per_kwh", [2001], "setting_out_of_bounds"),
        ("carbon_g_per_kwh", [*range(23), 2001], "setting_out_of_bounds"),
        ("time_zone", "Mars/Olympus", "unknown_time_zone"),
        ("time_zone", "UTC+8", "unknown_time_zone"),
        ("half_life_s", 0, "setting_out_of_bounds"),
        ("half_life_s", 366 * 24 * 3600, "setting_out_of_bounds"),
        ("entry_penalty_s", 24 * 3600 + 1, "setting_out_of_bounds"),
        ("outputs_kept_days", 0, "setting_out_of_bounds"),
        ("workspaces_kept_days", 3651, "setting_out_of_bounds"),
        ("lease_ttl_s", 9, "setting_out_of_bounds"),
        ("lease_ttl_s", 601, "setting_out_of_bounds"),
        ("raw_samples_kept_days", 0, "setting_out_of_bounds"),
        ("hour_samples_kept_days", 3651, "setting_out_of_bounds"),
        ("raw_samples_kept_days", 36, "setting_out_of_bounds"),
        ("minute_samples_kept_days", 1, "setting_out_of_bounds"),
    ],
)
def test_a_value_without_meaning_changes_nothing(setting: str, value: object, code: str) -> None:
    answer = an_admin().patch(SETTINGS, {setting: value}, format="json")

    problem = problem_of(answer, 422, code)
    assert [fault["pointer"] for fault in problem["errors"]] == [f"/{setting}"]
    assert settings_for_system().time_zone == "Asia/Shanghai"
    assert not AuditEvent.objects.filter(action="site.change").exists()


def test_coarser_samples_are_kept_no_shorter_than_finer_ones() -> None:
    admin = an_admin()
    change(admin, raw_samples_kept_days=20)
    refused = admin.patch(SETTINGS, {"minute_samples_kept_days": 14}, format="json")
    problem = problem_of(refused, 422, "samples_kept_too_short")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/minute_samples_kept_days"]
    change(admin, raw_samples_kept_days=3, minute_samples_kept_days=14)
    event = AuditEvent.objects.filter(action="site.change").latest("id")
    assert event.params["minute_samples_kept_days"] == {"before": 35, "after": 14}


def test_a_lease_survives_three_lost_heartbeats() -> None:
    with override_site_config(heartbeat_s=5.0):
        refused = an_admin().patch(SETTINGS, {"lease_ttl_s": 14}, format="json")
        problem_of(refused, 422, "lease_too_short")
        change(an_admin(), lease_ttl_s=15)


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_staff_reads_and_only_administrators_change(role: str) -> None:
    staff = browser(a_user(role=role))

    json_of(staff.get(SETTINGS))
    problem_of(staff.patch(SETTINGS, {"half_life_s": 7200}, format="json"), 403, "denied")


def test_members_do_not_see_the_settings() -> None:
    member = browser(a_member(a_scene().group, "group_admin"))

    problem_of(member.get(SETTINGS), 403, "denied")


def test_the_scheduler_and_studies_get_the_values_of_the_site() -> None:
    change(an_admin(), time_zone="Europe/Berlin", half_life_s=7200, entry_penalty_s=60)

    for snapshot in (load_snapshot(), load_site()):
        assert (snapshot.fair_share.half_life_s, snapshot.fair_share.entry_penalty_s) == (7200, 60)
        assert snapshot.clock.changes


def held_since_noon(scene: Scene, until: datetime) -> None:
    """Hold two GPUs from noon in UTC."""
    with freeze(NOON):
        work = scene.work(gpus=2)
        (held,) = scene.place(work, scene.placement(cards=(0, 1)))
        scene.links[0].beat()
        scene.links[0].beat(containers=[running(held)])
    with freeze(until):
        scene.links[0].beat(finished=[finished(held)])


def used_and_end(budget: Budget) -> tuple[int, datetime]:
    (status,) = load_budget_statuses([budget])
    return status.used // 3600, status.ends_at


def test_a_budget_keeps_its_use_when_the_zone_moves_west() -> None:
    """At 18:00 UTC the day in Shanghai is the 16th; in UTC the 15th would begin again."""
    scene, admin = a_scene(), an_admin()
    budget = Budget.objects.create(group=a_root(), pool=None, period="day", gpu_hours=100)
    held_since_noon(scene, NOON + 6 * HOUR)

    with freeze(NOON + 6 * HOUR):
        before = used_and_end(budget)
        change(admin, time_zone="UTC")
        after = used_and_end(budget)

    assert before == (4, NOON.replace(hour=16) + 24 * HOUR)
    assert after == (4, datetime(2030, 5, 17, tzinfo=UTC))
    with freeze(NOON + 20 * HOUR):
        assert used_and_end(budget) == (4, datetime(2030, 5, 17, tzinfo=UTC))
    with freeze(NOON + 36 * HOUR):
        assert used_and_end(budget)[0] == 0


def test_use_across_a_change_of_the_zone_is_counted_once() -> None:
    scene, admin = a_scene(), an_admin()
    with freeze(NOON + 5 * HOUR):
        change(admin, time_zone="America/New_York")

    held_since_noon(scene, NOON + 40 * HOUR)

    days = dict(DailyGpuUse.objects.values_list("day", "gpu_milli_ms"))
    hour = 2 * 3600 * 1_000_000
    assert sum(days.values()) == 40 * hour
    # The 16th had begun in Shanghai; it ends with the midnight of New York.
    assert days == {date(2030, 5, 16): 40 * hour}


def test_a_shorter_lease_never_shortens_what_was_granted() -> None:
    scene, admin = a_scene(), an_admin()
    link = scene.links[0]
    with override_site_config(heartbeat_s=1.0, lease_ttl_s=60.0, lease_grace_s=15.0):
        with freeze(NOON):
            granted = link.beat()
            change(admin, lease_ttl_s=10)
        with freeze(NOON + timedelta(seconds=5)):
            shorter = link.beat()
            early = Node.objects.get(pk=scene.nodes[0].pk).lease_until
        with freeze(NOON + timedelta(seconds=120)):
            link.beat()
            late = Node.objects.get(pk=scene.nodes[0].pk).lease_until

    assert granted.terms is not None
    assert shorter.terms is not None
    assert (granted.terms.lease_ttl_ms, shorter.terms.lease_ttl_ms) == (60_000, 10_000)
    assert early == NOON + timedelta(seconds=60 + 15)
    assert late == NOON + timedelta(seconds=120 + 10 + 15)


def test_files_are_kept_as_long_as_the_site_says() -> None:
    scene, admin = a_scene(), an_admin()
    work = scene.work(gpus=1)
    ended_at = now() - timedelta(days=3)
    Workload.objects.filter(pk=work.pk).update(state="cancelled", finished_at=ended_at)
    with override_site_config() as config:
        folder = config.storage_dir / "outputs" / str(work.pk)
        folder.mkdir(parents=True)
        tasks.tidy_storage()
        assert folder.exists()

        change(admin, outputs_kept_days=2)
        tasks.tidy_storage()

    assert not folder.exists()


def test_there_is_one_row_whoever_comes_first() -> None:
    SiteSettings.objects.all().delete()
    change(an_admin(), half_life_s=7200)
    change(an_admin(), entry_penalty_s=5)

    assert SiteSettings.objects.count() == 1
    assert settings_for_system().half_life_s == 7200
