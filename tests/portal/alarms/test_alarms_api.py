"""Alarms by REST: what each role sees and may do, and what a rule would have found."""

import json
from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_network
from typing import Any, cast

import pytest
from django.db import connection

from portal.alarms.evaluation import EVALUATE_TASK
from portal.alarms.kinds import AlarmKind
from portal.alarms.models import Alarm, AlarmChannel, AlarmRule
from portal.alarms.recipients import notice_of
from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.common.ids import new_id
from portal.common.models import IdempotencyRecord
from portal.common.redis_client import get_redis_client
from portal.config.celery import MAINTENANCE
from portal.identity.models import Notice, User
from portal.inventory.models import Accelerator
from portal.metering.models import WorkStart
from portal.notices.inbox import delete_old_notices, notify_people, send_notices
from portal.quotas.models import Quota
from portal.site.models import SiteSettings
from portal.telemetry.services import maintain_partitions
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, Workload
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import a_quota, a_scene
from tests.portal.alarms.scenes import MINUTE, NOON, evaluate_at, heat, only_rule
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
RULE = {"kind": "gpu_hot", "name": "very hot", "severity": "critical"}
RULE |= {"threshold": 95, "duration_s": 60}  # type: ignore[dict-item]
HOOK = {"kind": "webhook", "name": "hook", "address": "https://example.org/hook?key=hush"}


def an_alarm(kind: AlarmKind, **columns: Any) -> Alarm:
    """Save an alarm that fires, of the shipped rule of a kind."""
    return Alarm.objects.create(
        **{
            "rule": only_rule(kind),
            "subject_type": "workload",
            "subject_id": new_id(),
            "subject_name": "train",
            "value": 1,
            "state": "firing",
            "since": NOON,
            "seen_at": NOON,
            "fired_at": NOON,
            **columns,
        }
    )


def seen_by(user: User, query: str = "") -> list[str]:
    page = json_of(browser(user).get(f"{API}/alarms?{query}"))
    return [row["id"] for row in page["results"]]


def test_everybody_sees_what_concerns_them_and_staff_sees_all() -> None:
    faculty = a_group()
    group, other = a_group(parent=faculty), a_group(parent=faculty)
    owner, colleague, stranger = a_member(group), a_member(group), a_member(other)
    head, dean = a_member(group, "group_admin"), a_member(faculty, "group_admin")
    work = an_alarm(AlarmKind.GPU_IDLE, owner=owner, group=group)
    quota = an_alarm(AlarmKind.QUOTA_NEAR, subject_type="quota", group=group)
    card = an_alarm(AlarmKind.GPU_HOT, subject_type="accelerator")
    an_alarm(AlarmKind.GPU_HOT, state="pending", fired_at=None)
    of = {str(row.pk) for row in (work, quota)}
    assert set(seen_by(owner)) == of
    assert set(seen_by(head)) == set(seen_by(dean)) == of
    assert set(seen_by(colleague)) == {str(quota.pk)}
    assert seen_by(stranger) == []
    for role in ("auditor", "operator", "platform_admin"):
        assert set(seen_by(a_user(role=role))) == of | {str(card.pk)}
    counts = json_of(browser(owner).get(f"{API}/alarms/counts"))
    assert counts == {"firing": 2}


def test_an_acknowledged_alarm_is_no_news_to_who_acknowledged_it() -> None:
    group = a_group()
    owner = a_member(group)
    whose = {"owner": owner, "group": group, "work_kind": "training"}
    alarm = an_alarm(AlarmKind.GPU_IDLE, **whose)
    other = an_alarm(AlarmKind.WORK_WAITING, **whose)
    send_notices([notice_of(each.rule, owner.pk, [each]) for each in (alarm, other)])
    assert json_of(browser(owner).get(f"{API}/inbox"))["unread"] == 2

    json_of(browser(owner).post(f"{API}/alarms/{alarm.pk}/acknowledge", {}, "json"))

    (left,) = Notice.objects.filter(user=owner, read_at=None)
    assert left.params["alarms"] == [str(other.pk)]


def test_who_it_concerns_acknowledges_once_and_others_do_not_find_it() -> None:
    group = a_group()
    owner, stranger = a_member(group), a_member(a_group())
    auditor = a_user(role="auditor")
    path = f"{API}/alarms/{an_alarm(AlarmKind.GPU_IDLE, owner=owner, group=group).pk}/acknowledge"
    problem_of(browser(stranger).post(path, {}, "json"), 404, "not_found")
    shown = json_of(browser(owner).post(path, {"comment": "a long import"}, "json"))
    assert shown["acknowledged_by"]["username"] == owner.username
    assert shown["comment"] == "a long import"
    problem_of(browser(auditor).post(path, {}, "json"), 409, "alarm_acknowledged")
    assert json_of(browser(owner).get(f"{API}/alarms/counts")) == {"firing": 0}
    event = AuditEvent.objects.get(action="alarm.acknowledge")
    assert event.params["comment"] == "a long import"
    Alarm.objects.update(state="resolved", resolved_at=NOON)
    problem_of(browser(owner).post(path, {}, "json"), 409, "alarm_not_firing")
    assert len(seen_by(owner, "state=resolved")) == 1
    assert seen_by(owner, "state=firing") == []


def test_alarms_are_found_by_what_they_are_about() -> None:
    group = a_group()
    owner, head = a_member(group), a_member(group, "group_admin")
    idle = an_alarm(AlarmKind.GPU_IDLE, subject_name="训练-7", owner=owner, group=group)
    hot = an_alarm(AlarmKind.GPU_HOT, subject_type="accelerator", subject_name="gpu-03 #1")
    browser(head).post(f"{API}/alarms/{idle.pk}/acknowledge", {}, format="json")
    staff = a_user(role="operator")
    for query, found in {
        "subject=训练": idle,
        "subject=GPU-03": hot,
        f"group={group.pk}": idle,
        "kind=gpu_hot": hot,
        "is_acknowledged=true": idle,
        "is_acknowledged=false": hot,
        "kind=gpu_idle&state=firing": idle,
    }.items():
        assert seen_by(staff, query) == [str(found.pk)], query
    assert seen_by(staff, "subject=_&state=resolved") == []
    assert seen_by(head, "kind=gpu_hot") == []
    for query in ("kind=none", "is_acknowledged=maybe", f"subject={'x' * 101}", "group=mine"):
        problem_of(browser(staff).get(f"{API}/alarms?{query}"), 400, "invalid_input")


def test_rules_are_read_by_staff_and_changed_by_administrators() -> None:
    only_rule(AlarmKind.GPU_HOT)
    member, operator = a_member(a_group()), a_user(role="operator")
    admin = browser(a_user(role="platform_admin"))
    problem_of(browser(member).get(f"{API}/alarm-rules"), 403, "denied")
    problem_of(browser(operator).post(f"{API}/alarm-rules", RULE, "json"), 403, "denied")
    shown = json_of(browser(operator).get(f"{API}/alarm-rules"))
    assert len(shown["rules"]) == len(shown["kinds"]) == len(AlarmKind)

    made = json_of(admin.post(f"{API}/alarm-rules", RULE, "json"), 201)
    path = f"{API}/alarm-rules/{made['id']}"
    changed = json_of(
        admin.patch(path, {"threshold": 99, "quiet_from": 0, "quiet_until": 60}, "json")
    )
    assert (changed["threshold"], changed["quiet_until"]) == (99, 60)
    assert admin.delete(path).status_code == 204
    shipped = AlarmRule.objects.get(kind="gpu_hot")
    problem_of(admin.delete(f"{API}/alarm-rules/{shipped.pk}"), 409, "alarm_rule_shipped")
    acts = AuditEvent.objects.order_by("id").values_list("action", flat=True)
    assert [act for act in acts if act.startswith("alarm_rule.")] == [
        "alarm_rule.create",
        "alarm_rule.change",
        "alarm_rule.remove",
    ]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"threshold": 10}, "alarm_threshold"),
        ({"act": "stop_notebook"}, "alarm_act_of_kind"),
        ({"audience": ["owner"]}, "alarm_audience_of_kind"),
        ({"quiet_from": 60}, "alarm_quiet_hours"),
        ({"quiet_from": 60, "quiet_until": 60}, "alarm_quiet_hours_empty"),
        ({"group": "group"}, "alarm_scope"),
        ({"kind": "volume_near_full", "threshold": 90, "pool": "pool"}, "alarm_scope"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(change: dict[str, Any], code: str) -> None:
    scene = a_scene()
    named = {"group": str(scene.group.pk), "pool": str(scene.pool.pk)}
    change = {
        name: named.get(value, value) if isinstance(value, str) else value
        for name, value in change.items()
    }
    admin = browser(a_user(role="platform_admin"))
    problem_of(admin.post(f"{API}/alarm-rules", {**RULE, **change}, "json"), 422, code)


def test_a_rule_is_held_against_the_facts_as_soon_as_it_is_saved(
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    admin = browser(a_user(role="platform_admin"))
    with django_capture_on_commit_callbacks(execute=True):
        rule = json_of(admin.post(f"{API}/alarm-rules", RULE, "json"), 201)
    assert waiting_tasks() == [EVALUATE_TASK]
    with django_capture_on_commit_callbacks(execute=True):
        admin.patch(f"{API}/alarm-rules/{rule['id']}", {"threshold": 80}, "json")
    assert waiting_tasks() == [EVALUATE_TASK] * 2


def waiting_tasks() -> list[str]:
    """Return the names of the tasks that a worker would do now."""
    messages = cast("list[str]", get_redis_client().lrange(MAINTENANCE, 0, -1))
    return [json.loads(message)["headers"]["task"] for message in messages]


def test_a_rule_that_is_disabled_resolves_what_it_has_found() -> None:
    scene = a_scene()
    rule = only_rule(AlarmKind.GPU_HOT, duration_s=0)
    heat(scene, 95, NOON)
    evaluate_at(NOON)
    admin = browser(a_user(role="platform_admin"))
    json_of(admin.patch(f"{API}/alarm-rules/{rule.pk}", {"enabled": False}, "json"))
    assert Alarm.objects.get().state == "resolved"
    evaluate_at(NOON + MINUTE)
    assert Alarm.objects.count() == 1


def test_operators_silence_and_a_silence_ends() -> None:
    scene = a_scene()
    operator, auditor = browser(a_user(role="operator")), browser(a_user(role="auditor"))
    admin = a_user(role="platform_admin")
    only_rule(AlarmKind.GPU_HOT, duration_s=0)
    heat(scene, 95, now())
    until = (now() + timedelta(hours=1)).isoformat()
    body = {"until": until, "reason": "new fans"}
    problem_of(auditor.post(f"{API}/alarm-silences", body, "json"), 403, "denied")
    far = {**body, "until": (now() + timedelta(days=31)).isoformat()}
    problem_of(operator.post(f"{API}/alarm-silences", far, "json"), 422, "alarm_silence_until")
    made = json_of(operator.post(f"{API}/alarm-silences", body, "json"), 201)
    assert evaluate_at(now()) == 1
    assert not Notice.objects.filter(user=admin).exists()
    (shown,) = json_of(auditor.get(f"{API}/alarm-silences"))
    assert shown["reason"] == "new fans"
    assert operator.delete(f"{API}/alarm-silences/{made['id']}").status_code == 204
    assert json_of(auditor.get(f"{API}/alarm-silences")) == []
    evaluate_at(now())
    assert Notice.objects.filter(user=admin).count() == 1


def test_channels_are_for_administrators_and_their_addresses_for_nobody() -> None:
    admin, operator = browser(a_user(role="platform_admin")), browser(a_user(role="operator"))
    problem_of(operator.get(f"{API}/alarm-channels"), 403, "denied")
    answer = admin.post(f"{API}/alarm-channels", HOOK, "json", headers={"Idempotency-Key": "once"})
    made = json_of(answer, 201)
    assert made["signing_secret"].startswith("whsec_")
    assert made["host"] == "example.org"
    assert b"hush" not in answer.content
    assert not IdempotencyRecord.objects.exists()
    listed = admin.get(f"{API}/alarm-channels").content.decode()
    assert "hush" not in listed
    assert made["signing_secret"] not in listed
    problem_of(admin.post(f"{API}/alarm-channels", HOOK, "json"), 409, "alarm_channel_name_taken")
    path = f"{API}/alarm-channels/{made['id']}"
    private = {"address": "https://10.0.0.8/x"}
    problem_of(admin.patch(path, private, "json"), 422, "channel_forbidden")
    slack = {"kind": "slack", "name": "chat", "address": "https://example.org/services/T/B/x"}
    problem_of(admin.post(f"{API}/alarm-channels", slack, "json"), 422, "channel_address")
    assert admin.post(f"{path}/test").status_code == 202
    json_of(admin.patch(path, {"enabled": False}, "json"))
    problem_of(admin.post(f"{path}/test"), 409, "alarm_channel_disabled")
    assert admin.delete(path).status_code == 204
    assert not AlarmChannel.objects.exists()


def test_private_networks_are_reached_where_the_site_allows_them(
    set_site: Callable[..., None],
) -> None:
    set_site(webhook_networks=(ip_network("10.0.0.0/8"),))
    admin = browser(a_user(role="platform_admin"))
    inside = {**HOOK, "address": "http://10.0.0.8/hook"}
    assert json_of(admin.post(f"{API}/alarm-channels", inside, "json"), 201)["host"] == "10.0.0.8"


def trial(**changes: object) -> Any:
    admin = browser(a_user(role="platform_admin"))
    with freeze(NOON):
        return json_of(admin.post(f"{API}/alarm-rules/trial", {**RULE, **changes}, "json"))


def test_a_hot_gpu_is_tried_on_the_samples_of_the_past() -> None:
    scene = a_scene(cards=1)
    card = Accelerator.objects.get(node=scene.nodes[0])
    heat(scene, 97, NOON)
    with freeze(NOON):
        maintain_partitions()
    hot = [*range(10), *range(20, 23), *range(40, 60)]  # for 9, 2 and 19 minutes
    with connection.cursor() as cursor:
        for minute in range(60):
            at = NOON - timedelta(hours=2) + minute * MINUTE
            degrees = 96 if minute in hot else 50
            cursor.execute(
                "INSERT INTO telemetry_card_minute (series, at, last_at, temperature_c)"
                " VALUES (%s, %s, %s, %s)",
                [card.pk, at, at, degrees],
            )
    found = trial(duration_s=300)
    assert (found["count"], found["past"]) == (1, {"count": 2, "days": 30})
    (subject,) = found["subjects"]
    assert (subject["subject_name"], subject["value"]) == (f"{scene.nodes[0].name} #0", 97)
    SiteSettings.objects.update_or_create(pk=1, defaults={"minute_samples_kept_days": 7})
    assert trial(duration_s=300)["past"] == {"count": 2, "days": 7}
    assert trial(duration_s=0)["past"]["count"] == 3
    assert trial(duration_s=0, threshold=97)["past"]["count"] == 0
    assert not AlarmRule.objects.exists()


def test_waits_and_time_limits_are_tried_on_the_ledger() -> None:
    scene = a_scene()
    for minutes, days_ago in ((500, 3), (900, 3), (900, 40)):
        WorkStart.objects.create(
            workload_id=new_id(),
            group_id=scene.group.pk,
            user_id=scene.owner.pk,
            pool_id=scene.pool.pk,
            kind="training",
            day=(NOON - timedelta(days=days_ago)).date(),
            wait_ms=minutes * 60_000,
        )
    waits = {"kind": "work_waiting", "threshold": 600, "duration_s": 0}
    assert trial(**waits)["past"] == {"count": 1, "days": 30}
    assert trial(**waits, group=str(scene.group.parent_id))["past"]["count"] == 1
    assert trial(**waits, group=str(a_group().pk))["past"]["count"] == 0

    work = scene.work(gpus=1)
    scene.place(work, scene.placement(cards=(0,)))
    Workload.objects.filter(pk=work.pk).update(time_limit_s=7200)
    began = NOON - timedelta(days=1)
    ran = {"started_at": began, "finished_at": began + timedelta(minutes=100)}
    Allocation.objects.filter(workload=work).update(**ran)
    near = {"kind": "time_limit_near", "duration_s": 0}
    assert trial(**near, threshold=30)["past"]["count"] == 1
    assert trial(**near, threshold=10)["past"]["count"] == 0
    assert trial(kind="gpu_fault")["past"] is None


def test_waits_that_go_on_or_were_given_up_count_as_well() -> None:
    scene = a_scene()
    queued = {"queued_at": NOON - timedelta(hours=20)}
    gone = {**queued, "state": "cancelled", "finished_at": NOON - timedelta(hours=1)}
    early = {**gone, "finished_at": NOON - timedelta(hours=15)}
    old = {"queued_at": NOON - timedelta(days=50), "state": "cancelled"}
    old |= {"finished_at": NOON - timedelta(days=40)}
    for columns in (queued, gone, early, old, {**queued, "held_by": "user"}):
        Workload.objects.filter(pk=scene.work(gpus=1).pk).update(**columns)
    ran = scene.work(gpus=1)
    scene.place(ran, scene.placement(cards=(0,)))  # its wait is in the ledger
    Allocation.objects.filter(workload=ran).update(created_at=NOON - timedelta(hours=2))
    Workload.objects.filter(pk=ran.pk).update(**{**gone, "state": "failed"})
    waits = {"kind": "work_waiting", "threshold": 600, "duration_s": 0}
    assert trial(**waits)["past"]["count"] == 2
    assert trial(**waits, pool=str(scene.pool.pk))["past"]["count"] == 2
    assert trial(**waits, pool=str(a_scene().pool.pk))["past"]["count"] == 0


def test_a_limit_is_shown_and_found_by_the_titles_of_its_group_and_pool() -> None:
    scene = a_scene()
    titles = {"title_en": "Computer vision", "title_zh": "计算机视觉"}
    Group.objects.filter(pk=scene.group.pk).update(**titles)
    row = a_quota(scene.group, pool=scene.pool, ceiling=1000)
    Quota.objects.filter(pk=row.pk).update(used=960)
    only_rule(AlarmKind.QUOTA_NEAR, duration_s=0)
    evaluate_at(NOON)
    staff = a_user(role="operator")
    (shown,) = json_of(browser(staff).get(f"{API}/alarms?subject=计算机"))["results"]
    assert shown["group"]["title_zh"] == "计算机视觉"
    assert shown["pool"]["title_en"] == scene.pool.title_en
    assert shown["detail"] == row.resource
    assert seen_by(staff, "subject=Computer") == [shown["id"]]
    (tried,) = trial(kind="quota_near", threshold=90)["subjects"]
    assert tried == {name: shown[name] for name in tried}


def test_an_inbox_is_its_owners_in_their_language_and_is_read_up_to_what_was_shown() -> None:
    user, other = a_user(), a_user()
    params = {"alarm_kind": "gpu_hot", "subject": "node-1 #0"}
    notify_people(users=[user.pk], code="alarm_fired", params=params, path="/nodes/x")
    client = browser(user)
    english = json_of(client.get(f"{API}/inbox"))
    assert english["unread"] == 1
    assert english["notices"][0]["text"] == "Hot GPU: node-1 #0"
    chinese = json_of(client.get(f"{API}/inbox", headers={"Accept-Language": "zh-CN"}))
    assert chinese["notices"][0]["text"] == "加速卡过热：node-1 #0"
    assert json_of(browser(other).get(f"{API}/inbox")) == {"unread": 0, "notices": []}
    shown = english["notices"][0]["id"]
    notify_people(users=[user.pk], code="alarm_fired", params=params)
    browser(other).post(f"{API}/inbox", {"until": shown}, "json")
    read = json_of(client.post(f"{API}/inbox", {"until": shown}, "json"))
    assert read["unread"] == 1
    with freeze(now() + timedelta(days=31)):
        assert delete_old_notices() == 2
