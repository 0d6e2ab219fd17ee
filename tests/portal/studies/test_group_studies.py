"""What-if studies of group admins: they change and find what is of their group alone."""

from datetime import timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import now
from portal.identity.models import User
from portal.site.services import change_settings
from portal.studies import services
from portal.studies.models import Study
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, Workload
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

STUDIES = f"{API}/studies"
TEN = timedelta(minutes=10)


def ask(user: User, **more: Any) -> Any:
    return browser(user).post(STUDIES, {"days": 7, **more}, format="json")


def answered(user: User, **more: Any) -> Any:
    """Ask, tell it, and return the answer."""
    made = json_of(ask(user, **more), 201)
    assert services.run_next_study()
    return json_of(browser(user).get(f"{STUDIES}/{made['id']}"))


def ran(scene: Scene, group: Group, *, after: timedelta) -> None:
    """Save a job of eight GPUs that came an hour ago, and then waited so long and ran for ten minutes."""
    came = now() - timedelta(hours=1)
    owner = a_member(group)
    work = a_workload(owner, group, scene.pool, state="succeeded", gpus=8)
    held = an_allocation(work, scene.nodes[0])
    Workload.objects.filter(pk=work.pk).update(submitted_at=came)
    began, ended = came + after, came + after + TEN
    times = {"created_at": began, "started_at": began, "finished_at": ended, "released_at": ended}
    Allocation.objects.filter(pk=held.pk).update(state="released", **times)


def test_the_head_finds_what_the_group_and_those_below_would_have_waited() -> None:
    scene = a_scene()
    lab = scene.group
    team, other = a_group(parent=lab), a_group()
    head = a_member(lab, "group_admin")
    ran(scene, other, after=timedelta())
    ran(scene, team, after=TEN)

    bought = [{"like": str(scene.nodes[0].pk), "count": 1}]
    told = answered(head, group=str(lab.pk), title="one more", nodes=bought)

    assert (told["phase"], told["group"]["id"]) == ("done", str(lab.pk))
    found = told["findings"]
    assert [found[kind]["jobs"] for kind in ("was", "today", "changed")] == [1, 1, 1]
    assert [found[kind]["longest_wait_s"] for kind in ("was", "today", "changed")] == [600, 600, 0]
    assert found["today"]["gpu_hours"] == 1
    # Of twenty minutes, in which the cluster was full, the group held it for ten.
    assert found["today"]["utilisation_permille"] == 500
    assert [row["group"] for row in found["groups"]] == [team.name]
    busy = [point["busy_permille"] for point in found["curves"]["today"]]
    assert (busy[0], busy[-1]) == (0, 1000)
    assert found["curves"]["today"][0]["waiting"] == 1


def test_limits_of_the_group_are_tried_and_nothing_beyond_it() -> None:
    scene = a_scene()
    lab = scene.group
    other = a_group()
    head = a_member(lab, "group_admin")
    a_quota(lab, pool=scene.pool, ceiling=8000)
    ran(scene, lab, after=timedelta())
    limit = {"pool": str(scene.pool.pk), "resource": "gpu", "ceiling": 4000}

    told = answered(head, group=str(lab.pk), quotas=[{"group": str(lab.pk), **limit}])

    assert told["findings"]["today"]["never_start"] == 0
    assert told["findings"]["changed"]["never_start"] == 1
    refused = problem_of(
        ask(head, group=str(lab.pk), quotas=[{"group": str(other.pk), **limit}]),
        422,
        "study_of_group_limits",
    )
    assert refused["errors"][0]["pointer"] == "/quotas/0/group"
    rules = [{"pool": str(scene.pool.pk), "policy": {"queue": "strict"}}]
    problem_of(ask(head, group=str(lab.pk), pools=rules), 422, "study_of_group_rules")
    # Staff that asks about a group is held to the same: its head reads what is found.
    staff = a_user(role="operator")
    problem_of(ask(staff, group=str(lab.pk), pools=rules), 422, "study_of_group_rules")


def test_studies_of_staff_and_of_other_groups_are_nobody_elses() -> None:
    lab, other = a_group(), a_group()
    head, stranger = a_member(lab, "group_admin"), a_member(other, "group_admin")
    operator = a_user(role="operator")
    of_all = json_of(ask(operator), 201)
    own = json_of(ask(head, group=str(lab.pk)), 201)

    assert [row["id"] for row in json_of(browser(head).get(STUDIES))["results"]] == [own["id"]]
    assert json_of(browser(stranger).get(STUDIES))["results"] == []
    assert len(json_of(browser(operator).get(STUDIES))["results"]) == 2
    problem_of(ask(head), 403, "denied")
    problem_of(ask(stranger, group=str(lab.pk)), 404, "not_found")
    for user, study in ((head, of_all), (stranger, own)):
        problem_of(browser(user).get(f"{STUDIES}/{study['id']}"), 404, "not_found")
        problem_of(browser(user).delete(f"{STUDIES}/{study['id']}"), 404, "not_found")
    for user in (a_member(lab), a_member(lab, "viewer")):
        problem_of(browser(user).get(STUDIES), 403, "denied")
        problem_of(ask(user, group=str(lab.pk)), 403, "denied")
    assert browser(head).delete(f"{STUDIES}/{own['id']}").status_code == 204
    act = AuditEvent.objects.get(action="study.delete")
    assert act.group_id == lab.pk


def test_the_site_says_how_many_wait_and_staff_comes_first() -> None:
    lab = a_group()
    head, operator = a_member(lab, "group_admin"), a_user(role="operator")
    site = Actor.system("test")
    change_settings(actor=site, changes={"group_studies_max": 1})
    json_of(ask(head, group=str(lab.pk)), 201)
    problem_of(ask(head, group=str(lab.pk)), 409, "studies_of_group_waiting")
    json_of(ask(operator), 201)
    assert services.run_next_study()
    assert Study.objects.get(phase="waiting").group_id == lab.pk
    change_settings(actor=site, changes={"group_studies_max": 0})
    problem_of(ask(head, group=str(lab.pk)), 422, "studies_of_staff_only")


def test_of_a_group_fewer_are_kept_and_those_of_staff_stay() -> None:
    lab = a_group()
    head = a_member(lab, "group_admin")
    Study.objects.create(asked_by=head, days=1, change={"pools": {}, "quotas": [], "nodes": []})
    for _ in range(services.KEPT_OF_GROUP_MAX + 1):
        Study.objects.filter(group=lab).update(
            phase="failed", failure="no_past", started_at=now(), ended_at=now()
        )
        json_of(ask(head, group=str(lab.pk)), 201)
    assert Study.objects.filter(group=lab).count() == services.KEPT_OF_GROUP_MAX
    assert Study.objects.filter(group=None).count() == 1
