"""Alarm rules that admins of a group make: about its work alone, and heard within it."""

from typing import Any

import pytest

from portal.alarms.kinds import AlarmKind
from portal.alarms.models import AlarmChannel, AlarmRule
from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.identity.models import Notice, User
from portal.site.services import change_settings
from portal.workloads.models import Workload
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.portal.alarms.scenes import MINUTE, NOON, evaluate_at, only_rule, states
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
RULES = f"{API}/alarm-rules"
RULE = {"kind": "work_waiting", "name": "an hour", "severity": "warning", "threshold": 60}
RULE |= {"duration_s": 0, "audience": ["owner", "group_admins"]}


def add(user: User, **more: Any) -> Any:
    return browser(user).post(RULES, {**RULE, **more}, format="json")


def change(user: User, rule: Any, **changes: Any) -> Any:
    return browser(user).patch(f"{RULES}/{rule['id']}", changes, format="json")


def remove(user: User, rule: Any) -> Any:
    return browser(user).delete(f"{RULES}/{rule['id']}")


def seen_by(user: User) -> list[str]:
    return [rule["name"] for rule in json_of(browser(user).get(RULES))["rules"]]


def waiting(scene: Scene, *, minutes: int = 90) -> str:
    """Save a job that has waited at noon for so long; return its name."""
    work = scene.work(gpus=1)
    Workload.objects.filter(pk=work.pk).update(queued_at=NOON - minutes * MINUTE)
    return work.name


def test_the_head_makes_changes_and_removes_rules_of_the_group_and_of_those_below() -> None:
    lab = a_group()
    team = a_group(parent=lab)
    head, leader = a_member(lab, "group_admin"), a_member(team, "group_admin")
    own = json_of(add(head, group=str(lab.pk)), 201)
    below = json_of(add(head, group=str(team.pk), name="of the team"), 201)

    assert (own["by_group"], own["group"]["id"], own["channels"]) == (True, str(lab.pk), [])
    assert seen_by(head) == ["an hour", "of the team"]
    assert seen_by(leader) == ["of the team"]
    assert json_of(change(leader, below, threshold=30))["threshold"] == 30
    problem_of(change(leader, below, group=str(lab.pk)), 404, "not_found")
    problem_of(change(leader, own, threshold=30), 404, "not_found")
    assert json_of(change(head, below, group=str(lab.pk)))["group"]["id"] == str(lab.pk)
    assert remove(head, below).status_code == 204
    assert json_of(change(a_user(role="platform_admin"), own, enabled=False))["enabled"] is False
    acts = AuditEvent.objects.filter(object_type="alarm_rule", outcome="ok").order_by("id")
    assert [str(act.group_id) for act in acts] == [
        str(each.pk) for each in (lab, team, team, *[lab] * 3)
    ]


def test_rules_of_staff_and_of_other_groups_are_neither_seen_nor_changed() -> None:
    lab, other = a_group(), a_group()
    head, stranger = a_member(lab, "group_admin"), a_member(other, "group_admin")
    admin = a_user(role="platform_admin")
    by_staff = json_of(add(admin, group=str(lab.pk), name="of staff"), 201)
    own = json_of(add(head, group=str(lab.pk)), 201)

    assert by_staff["by_group"] is False
    assert seen_by(head) == ["an hour"]
    assert set(seen_by(admin)) == {"an hour", "of staff"}
    problem_of(change(head, by_staff, enabled=False), 403, "denied")
    problem_of(remove(head, by_staff), 403, "denied")
    assert seen_by(stranger) == []
    problem_of(add(stranger, group=str(lab.pk)), 404, "not_found")
    problem_of(remove(stranger, own), 404, "not_found")
    for user in (a_member(lab), a_member(lab, "viewer")):
        problem_of(browser(user).get(RULES), 403, "denied")
        problem_of(add(user, group=str(lab.pk)), 403, "denied")
        problem_of(remove(user, own), 403, "denied")
    problem_of(browser(head).get(f"{API}/alarm-channels"), 403, "denied")
    problem_of(browser(head).get(f"{API}/alarm-silences"), 403, "denied")


def test_what_reaches_beyond_the_group_is_refused() -> None:
    lab = a_group()
    head, admin = a_member(lab, "group_admin"), a_user(role="platform_admin")
    channel = AlarmChannel.objects.create(name="hall", kind="webhook")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"group": None}, "alarm_rule_without_group"),
        ({"kind": "gpu_hot", "threshold": 90, "audience": []}, "alarm_scope"),
        ({"kind": "node_silent", "threshold": 1, "group": None}, "alarm_audience_of_kind"),
        ({"audience": ["staff"]}, "alarm_audience_of_group"),
        ({"channels": [str(channel.pk)]}, "alarm_channels_of_staff"),
    ]
    for more, code in refused:
        problem_of(add(head, **{"group": str(lab.pk), **more}), 422, code)
        problem_of(
            browser(head).post(f"{RULES}/trial", {**RULE, "group": str(lab.pk), **more}, "json"),
            422,
            code,
        )
    own = json_of(add(head, group=str(lab.pk)), 201)
    # Also an administrator leaves it a rule of the group.
    problem_of(change(admin, own, audience=["staff"]), 422, "alarm_audience_of_group")
    problem_of(change(admin, own, group=None), 422, "alarm_rule_without_group")


def test_the_site_says_how_many_a_group_has() -> None:
    lab, other = a_group(), a_group()
    head, admin = a_member(lab, "group_admin"), a_user(role="platform_admin")
    site = Actor.system("test")
    change_settings(actor=site, changes={"group_alarm_rules_max": 1})
    own = json_of(add(head, group=str(lab.pk)), 201)
    problem_of(add(head, group=str(lab.pk)), 409, "alarm_rules_of_group_too_many")
    json_of(add(admin, group=str(lab.pk)), 201)
    json_of(add(a_member(other, "group_admin"), group=str(other.pk)), 201)
    change_settings(actor=site, changes={"group_alarm_rules_max": 0})
    problem_of(add(head, group=str(lab.pk)), 422, "alarm_rules_of_staff_only")
    # What exists is still changed and removed.
    json_of(change(head, own, threshold=90))
    assert remove(head, own).status_code == 204


def test_it_finds_the_work_of_the_group_and_its_head_is_told() -> None:
    lab = a_scene()
    other = a_scene()
    head, staff = a_member(lab.group, "group_admin"), a_user(role="platform_admin")
    only_rule(AlarmKind.GPU_HOT)
    json_of(add(head, group=str(lab.group.pk)), 201)
    mine = waiting(lab)
    waiting(other)
    waiting(lab, minutes=30)

    asked = {**RULE, "group": str(lab.group.pk)}
    with freeze(NOON):
        trial = json_of(browser(head).post(f"{RULES}/trial", asked, "json"))
    assert (trial["count"], trial["past"]["count"]) == (1, 1)
    assert [each["subject_name"] for each in trial["subjects"]] == [mine]
    evaluate_at(NOON)
    assert states() == {mine: "firing"}
    told = set(Notice.objects.values_list("user", flat=True))
    assert told == {lab.owner.pk, head.pk}
    assert staff.pk not in told


def test_the_head_who_made_it_is_told_of_a_group_below_that_has_its_own() -> None:
    scene = a_scene()
    lab = scene.group.parent
    assert lab is not None
    dean, leader = a_member(lab, "group_admin"), a_member(scene.group, "group_admin")
    only_rule(AlarmKind.GPU_HOT)
    json_of(add(dean, group=str(lab.pk), audience=["group_admins"]), 201)
    waiting(scene)
    evaluate_at(NOON)
    assert list(Notice.objects.values_list("user", flat=True)) == [dean.pk]
    assert leader.pk != dean.pk


def test_a_loose_rule_of_a_group_does_not_change_what_staff_finds() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    only_rule(AlarmKind.WORK_WAITING, threshold=80)
    json_of(add(head, group=str(scene.group.pk), threshold=1), 201)
    long, short = waiting(scene), waiting(scene, minutes=5)
    evaluate_at(NOON)
    found = AlarmRule.objects.get(by_group=False, kind="work_waiting").alarms
    assert list(found.values_list("subject_name", flat=True)) == [long]
    of_group = AlarmRule.objects.get(by_group=True).alarms
    assert set(of_group.values_list("subject_name", flat=True)) == {long, short}
