"""Work of people who left: marked, told to heads once, listed, and stopped by the rule of the site."""

from datetime import timedelta

import pytest

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.identity.models import Notice, User
from portal.site.services import change_settings
from portal.tenancy.models import Membership
from portal.workloads.departures.leavers import follow_leavers
from portal.workloads.models import Allocation, Workload
from scheduler.runtime.loop import run_once
from tests.builders.people import a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def leave(scene: Scene) -> None:
    Membership.objects.filter(user=scene.owner).delete()


def come_back(scene: Scene) -> None:
    Membership.objects.create(user=scene.owner, group=scene.group, role="developer")


def notices(user: User) -> list[tuple[str, int, int, int]]:
    rows = Notice.objects.filter(user=user).order_by("id")
    return [
        (row.code, row.params["running"], row.params["waiting"], row.params["notebooks"])
        for row in rows
    ]


def running_job(scene: Scene, card: int, **columns: object) -> Workload:
    work = scene.work(gpus=1, **columns)
    scene.place(work, scene.placement(cards=(card,)))
    everything = Allocation.objects.filter(state__in=["reserved", "bound"])
    scene.links[0].beat(containers=[running(item) for item in everything.exclude(phase="")])
    scene.links[0].beat(containers=[running(item) for item in everything])
    work.refresh_from_db()
    assert work.state == "running"
    return work


def marks() -> set[bool]:
    return {at is not None for at in Workload.objects.values_list("owner_left_at", flat=True)}


def test_heads_are_told_once_of_all_that_somebody_left() -> None:
    scene = a_scene()
    heads = [a_member(scene.group, "group_admin") for _ in range(2)]
    running_job(scene, 0)
    scene.work(gpus=1)
    scene.work(kind="environment", state="suspended")
    follow_leavers()
    assert marks() == {False}
    leave(scene)

    follow_leavers()
    follow_leavers()

    assert marks() == {True}
    assert [notices(head) for head in heads] == [[("member_left", 1, 1, 1)]] * 2
    event = AuditEvent.objects.get(action="workload.owner_left")
    assert (event.group_id, event.object_id) == (scene.group.pk, str(scene.owner.pk))


def test_the_next_above_are_told_where_a_group_has_no_head() -> None:
    scene = a_scene()
    above = a_member(a_root(), "group_admin")
    scene.work(gpus=1)
    leave(scene)

    follow_leavers()

    assert notices(above) == [("member_left", 0, 1, 0)]


def test_administrators_are_told_where_nobody_heads_anything() -> None:
    scene = a_scene()
    admin = a_user(role="platform_admin")
    scene.work(gpus=1)
    leave(scene)

    follow_leavers()

    assert notices(admin) == [("member_left", 0, 1, 0)]


def test_nobody_is_told_of_somebody_whose_work_has_ended() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    scene.work(state="succeeded")
    leave(scene)

    follow_leavers()

    assert notices(head) == []


def test_the_mark_goes_when_the_right_returns_and_heads_are_told_the_next_time() -> None:
    scene = a_scene()
    head = a_member(scene.group, "group_admin")
    scene.work(gpus=1)
    for _ in range(2):
        leave(scene)
        follow_leavers()
        come_back(scene)
        follow_leavers()
        assert marks() == {False}

    assert len(notices(head)) == 2


def test_heads_list_the_work_of_people_who_left() -> None:
    scene = a_scene()
    head = browser(a_member(scene.group, "group_admin"))
    left = scene.work(gpus=1, name="left behind")
    leave(scene)
    follow_leavers()
    scene.owner = a_member(scene.group)
    scene.work(gpus=1, name="here")

    def names(asked: str) -> list[str]:
        page = json_of(head.get(f"{API}/workloads?{asked}"))
        return [row["name"] for row in page["results"]]

    assert names("owner_left=true") == ["left behind"]
    assert names("owner_left=false") == ["here"]
    shown = json_of(head.get(f"{API}/jobs/{left.pk}"))
    assert shown["owner_left_at"] is not None
    assert "left behind" in head.get(f"{API}/workloads.csv?owner_left=true").content.decode()


def test_what_runs_goes_on_to_its_limit_unless_the_site_says_otherwise() -> None:
    scene = a_scene()
    work = running_job(scene, 0)
    leave(scene)
    follow_leavers()
    with freeze(now() + timedelta(days=20)):
        follow_leavers()

    work.refresh_from_db()
    assert work.state == "running"


def test_the_rule_of_the_site_stops_what_runs_after_its_hours_and_keeps_it() -> None:
    scene = a_scene()
    scene.pool.policy = {"grace_s": 120}
    scene.pool.save()
    head = a_member(scene.group, "group_admin")
    admin = browser(a_user(role="platform_admin"))
    asked = {"leavers_stop_after_h": 24}
    shown = json_of(admin.patch(f"{API}/site-settings", asked, format="json"))
    assert shown["leavers_stop_after_h"] == 24
    job = running_job(scene, 0)
    once = running_job(scene, 1, restart={"rule": "never"})
    notebook = running_job(scene, 2, kind="environment")
    other = a_member(scene.group)
    stays = Scene(scene.pool, scene.nodes, scene.group, other, scene.links)
    kept = running_job(stays, 3)
    held = {work.pk: scene.held(work)[0] for work in (job, once, notebook, kept)}
    began = now()
    leave(scene)
    with freeze(began):
        follow_leavers()
    with freeze(began + timedelta(hours=23, minutes=59)):
        follow_leavers()
    assert set(Workload.objects.values_list("state", flat=True)) == {"running"}
    assert notices(head) == [("member_left_stops", 3, 0, 0)]

    with freeze(began + timedelta(hours=24)):
        follow_leavers()
        run_once()
        reply = scene.links[0].beat(containers=[running(item) for item in held.values()])
        graces = {item.allocation: item.seconds for item in reply.graces}
        assert graces[held[job.pk].wire_name] == 120
        scene.links[0].beat(
            containers=[running(held[kept.pk])],
            finished=[finished(item) for key, item in held.items() if key != kept.pk],
        )
        run_once()

    def seen(work: Workload) -> tuple[str, str]:
        work.refresh_from_db()
        return work.state, work.cause

    assert seen(job) == ("queued", "owner_left")
    assert seen(once) == ("failed", "owner_left")
    assert seen(notebook) == ("suspended", "owner_left")
    assert seen(kept)[0] == "running"
    assert_sound()


def test_the_hours_of_the_rule_are_bounded() -> None:
    admin = browser(a_user(role="platform_admin"))
    refused = admin.patch(f"{API}/site-settings", {"leavers_stop_after_h": 721}, format="json")

    assert refused.json()["code"] == "setting_out_of_bounds"
    back = change_settings(actor=Actor.system("test"), changes={"leavers_stop_after_h": None})
    assert back.leavers_stop_after_h == 0
