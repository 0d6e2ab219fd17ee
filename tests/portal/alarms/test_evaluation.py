"""Rules held against rows: each kind finds its own, people are notified once, statements stay few."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.alarms.acts import act_on_alarms
from portal.alarms.evaluation import KEPT, delete_old_alarms
from portal.alarms.kinds import AlarmKind
from portal.alarms.models import Alarm, AlarmRule, AlarmSilence
from portal.alarms.selectors import alarms_visible_to
from portal.common.clock import freeze
from portal.identity.models import Notice, OutgoingMail, User
from portal.inventory.models import Accelerator, Node
from portal.quotas.models import Budget, BudgetSpending, Quota
from portal.site.models import SiteSettings
from portal.tenancy.actors import load_actor
from portal.volumes.models import Volume
from portal.workloads.models import Allocation, Workload
from tests.builders.people import a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.portal.alarms.scenes import (
    MINUTE,
    NOON,
    evaluate_at,
    faulty_card,
    heat,
    only_rule,
    running,
    sample,
    states,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_the_platform_ships_a_rule_of_each_kind_once() -> None:
    evaluate_at(NOON)
    AlarmRule.objects.filter(kind="gpu_hot").update(threshold=80)
    evaluate_at(NOON + MINUTE)
    assert set(AlarmRule.objects.values_list("kind", flat=True)) == {k.value for k in AlarmKind}
    assert AlarmRule.objects.count() == len(AlarmKind)
    assert AlarmRule.objects.get(kind="gpu_hot").threshold == 80


def hot_card(scene: Scene) -> str:
    heat(scene, 95, NOON)
    return f"{scene.nodes[0].name} #0"


def silent_node(scene: Scene) -> str:
    lost = {"state": "lost", "last_seen_at": NOON - timedelta(minutes=7)}
    Node.objects.filter(pk=scene.nodes[0].pk).update(**lost)
    return scene.nodes[0].name


def full_disk(scene: Scene) -> str:
    Node.objects.filter(pk=scene.nodes[0].pk).update(disk_mib=1000, disk_free_mib=40)
    return scene.nodes[0].name


def waiting_work(scene: Scene) -> str:
    work = scene.work(gpus=1)
    Workload.objects.filter(pk=work.pk).update(queued_at=NOON - timedelta(hours=13))
    held = scene.work(gpus=1)
    Workload.objects.filter(pk=held.pk).update(queued_at=NOON - timedelta(hours=13), held_by="user")
    return work.name


def idle_work(scene: Scene) -> str:
    work = running(scene)
    sample(work, 1)
    return work.name


def ending_work(scene: Scene) -> str:
    began = NOON - timedelta(minutes=100)
    return running(scene, time_limit_s=7200, started_at=began).name


def near_quota(scene: Scene) -> str:
    row = a_quota(scene.group, ceiling=1000)
    Quota.objects.filter(pk=row.pk).update(used=960)
    return scene.group.name


def near_budget(scene: Scene) -> str:
    running(scene)
    Budget.objects.create(group=scene.group, period="month", gpu_hours=1)
    Budget.objects.create(group=scene.group, period="week", gpu_hours=1000)
    Allocation.objects.update(created_at=NOON - timedelta(minutes=50))
    return scene.group.name


def full_home(scene: Scene) -> str:
    row = {"kind": "home", "owner": scene.owner, "name": "home", "quota_mib": 100, "used_mib": 97}
    Volume.objects.create(**row)
    return f"{scene.owner.username}/home"


def braked_work(scene: Scene) -> str:
    work = scene.work(gpus=1)
    Workload.objects.filter(pk=work.pk).update(held_by="evictions", fruitless_evictions=3)
    held = scene.work(gpus=1)
    Workload.objects.filter(pk=held.pk).update(held_by="user")
    return work.name


FACTS: dict[AlarmKind, Callable[[Scene], str]] = {
    AlarmKind.GPU_HOT: hot_card,
    AlarmKind.GPU_FAULT: faulty_card,
    AlarmKind.NODE_SILENT: silent_node,
    AlarmKind.DISK_NEAR_FULL: full_disk,
    AlarmKind.WORK_WAITING: waiting_work,
    AlarmKind.GPU_IDLE: idle_work,
    AlarmKind.TIME_LIMIT_NEAR: ending_work,
    AlarmKind.QUOTA_NEAR: near_quota,
    AlarmKind.BUDGET_NEAR: near_budget,
    AlarmKind.VOLUME_NEAR_FULL: full_home,
    AlarmKind.WORK_HELD: braked_work,
}


@pytest.mark.parametrize("kind", list(AlarmKind))
def test_each_kind_finds_its_own_and_nothing_else(kind: AlarmKind) -> None:
    scene = a_scene()
    only_rule(kind, duration_s=0)
    assert evaluate_at(NOON) == 0
    name = FACTS[kind](scene)
    assert evaluate_at(NOON) == 1
    assert states() == {name: "firing"}


def test_work_that_has_held_its_gpus_for_less_than_their_mean_is_not_called_idle() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0)
    idle_work(scene)
    Allocation.objects.update(gpus_since=NOON - 9 * MINUTE)
    assert evaluate_at(NOON) == 0
    assert evaluate_at(NOON + MINUTE) == 1


def test_group_admins_are_warned_before_money_ends() -> None:
    scene = a_scene()
    head, member = a_member(scene.group, "group_admin"), a_member(scene.group)
    row = Budget.objects.create(
        group=scene.group, period="month", money_micros=100_000_000, currency="CNY"
    )
    only_rule(AlarmKind.BUDGET_NEAR)
    cost = 79_000_000 * 3_600_000 * 1000
    spent = BudgetSpending.objects.create(
        budget=row, first_day=NOON.date().replace(day=1), counted_until=NOON, cost=cost
    )
    assert evaluate_at(NOON) == 0
    BudgetSpending.objects.filter(pk=spent.pk).update(cost=cost + cost // 40)
    assert evaluate_at(NOON + MINUTE) == 1
    alarm = Alarm.objects.get()
    assert (alarm.subject_type, alarm.value, alarm.detail) == ("budget", 80, "month")
    assert set(Notice.objects.values_list("user", flat=True)) == {head.pk}
    seen = alarms_visible_to(load_actor(member), {})
    assert list(seen) == [alarm]


def test_an_alarm_fires_once_notifies_once_and_resolves() -> None:
    scene = a_scene()
    admin, operator = a_user(role="platform_admin"), a_user(role="operator")
    only_rule(AlarmKind.GPU_HOT)
    for minute in range(8):
        heat(scene, 95, NOON + minute * MINUTE)
        evaluate_at(NOON + minute * MINUTE)
    assert list(states().values()) == ["firing"]
    told = Notice.objects.filter(code="alarm_fired").values_list("user", flat=True)
    assert sorted(told) == sorted([admin.pk, operator.pk])
    alarm = Alarm.objects.get()
    assert alarm.value == 95
    assert alarm.fired_at == NOON + 5 * MINUTE
    for minute in range(8, 15):
        heat(scene, 60, NOON + minute * MINUTE)
        evaluate_at(NOON + minute * MINUTE)
    assert list(states().values()) == ["resolved"]
    assert Notice.objects.count() == 2


def test_owner_and_nearest_group_admin_are_notified_and_nobody_else() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    a_member(scene.group)
    a_user(role="platform_admin")
    only_rule(AlarmKind.GPU_IDLE, duration_s=0)
    work = running(scene)
    sample(work, 0)
    evaluate_at(NOON)
    notices = {notice.user_id: notice for notice in Notice.objects.all()}
    assert set(notices) == {scene.owner.pk, head.pk}
    assert notices[head.pk].path == f"/jobs/{work.pk}"


def test_many_alarms_of_a_rule_are_one_notice(set_site: Callable[..., None]) -> None:
    set_site(sends_mail=True)
    scene = a_scene()
    admin = a_user(role="platform_admin")
    User.objects.filter(pk=admin.pk).update(email="admin@example.org")
    only_rule(AlarmKind.GPU_HOT, duration_s=0)
    for card in range(8):
        heat(scene, 95, NOON, card=card)
    assert evaluate_at(NOON) == 8
    notice = Notice.objects.get()
    assert notice.code == "alarms_fired"
    assert notice.params["count"] == 8
    assert len(OutgoingMail.objects.get().params["list"]) == 8


def test_what_is_only_worth_knowing_goes_to_the_inbox_and_not_by_mail(
    set_site: Callable[..., None],
) -> None:
    set_site(sends_mail=True)
    scene = a_scene()
    User.objects.filter(pk=scene.owner.pk).update(email="owner@example.org")
    only_rule(AlarmKind.WORK_WAITING)
    waiting_work(scene)
    evaluate_at(NOON)
    assert Notice.objects.filter(user=scene.owner).exists()
    assert not OutgoingMail.objects.exists()


def test_quiet_hours_put_a_notice_off_until_they_end() -> None:
    scene = a_scene()
    a_user(role="platform_admin")
    SiteSettings.objects.update_or_create(pk=1, defaults={"time_zone": "Asia/Shanghai"})
    only_rule(AlarmKind.GPU_HOT, duration_s=0, quiet_from=19 * 60, quiet_until=20 * 60 + 2)
    for minute in range(4):  # noon in UTC is 20:00 in Shanghai
        heat(scene, 95, NOON + minute * MINUTE)
        evaluate_at(NOON + minute * MINUTE)
        assert Notice.objects.count() == (minute >= 2)
    assert Alarm.objects.get().notified_at == NOON + 2 * MINUTE


@pytest.mark.parametrize("about", ["rule", "pool", "subject", "all"])
def test_a_silence_holds_back_notices_and_acts_but_not_the_alarm(about: str) -> None:
    scene = a_scene()
    a_user(role="platform_admin")
    rule = only_rule(AlarmKind.GPU_HOT, duration_s=0, act="cordon_node")
    heat(scene, 95, NOON)
    card = Accelerator.objects.get(node=scene.nodes[0], index=0)
    matched: dict[str, dict[str, Any]] = {
        "rule": {"rule": rule},
        "pool": {"pool": scene.pool},
        "subject": {"subject_id": card.pk},
        "all": {},
    }
    until = NOON + MINUTE
    AlarmSilence.objects.create(until=until, reason="repair", **matched[about])
    assert evaluate_at(NOON) == 1
    with freeze(NOON):
        assert act_on_alarms() == 0
    assert not Notice.objects.exists()
    heat(scene, 95, NOON + MINUTE)
    evaluate_at(NOON + MINUTE)
    assert Notice.objects.count() == 1


def test_a_node_that_is_not_heard_leaves_the_alarm_of_its_card_as_it_is() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_HOT, duration_s=0)
    heat(scene, 95, NOON)
    evaluate_at(NOON)
    for hours in range(1, 5):
        assert evaluate_at(NOON + timedelta(hours=hours)) == 1


def test_scope_narrows_to_a_pool_or_to_a_group_with_those_below() -> None:
    scene, other = a_scene(), a_scene()
    rule = only_rule(AlarmKind.WORK_WAITING, group=scene.group)
    mine = waiting_work(scene)
    waiting_work(other)
    evaluate_at(NOON)
    assert states() == {mine: "firing"}
    AlarmRule.objects.filter(pk=rule.pk).update(group=scene.group.parent, pool=other.pool)
    evaluate_at(NOON + MINUTE)
    assert sorted(states().values()) == ["firing", "firing"]  # the first is clearing


def test_statements_do_not_depend_on_how_many_subjects_there_are() -> None:
    def statements(scenes: int) -> int:
        for _ in range(scenes):
            scene = a_scene()
            waiting_work(scene)
            faulty_card(scene)
            heat(scene, 95, NOON)
            near_quota(scene)
        with CaptureQueriesContext(connection) as found:
            evaluate_at(NOON)
        Alarm.objects.all().delete()
        Notice.objects.all().delete()
        return len(found)

    a_user(role="platform_admin")
    evaluate_at(NOON)
    AlarmRule.objects.update(duration_s=0)
    few = statements(1)
    assert statements(12) == few
    assert few <= 40


def test_history_is_kept_for_a_bounded_time() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_HOT, duration_s=0)
    heat(scene, 95, NOON)
    evaluate_at(NOON)
    Alarm.objects.update(state="resolved", resolved_at=NOON)
    with freeze(NOON + KEPT):
        assert delete_old_alarms() == 0
    with freeze(NOON + KEPT + MINUTE):
        assert delete_old_alarms() == 1
