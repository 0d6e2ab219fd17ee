"""Work of somebody who left goes to another member: with consent, and never a running container."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.endpoints import access_shares
from portal.identity.models import Notice, User
from portal.metering.models import UsageDay
from portal.metering.services import update_usage
from portal.quotas.services import recount_quotas
from portal.tenancy.models import Membership
from portal.workloads.departures.leavers import follow_leavers
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.sweep import run_sweep
from scheduler.runtime.loop import run_once
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.scenes import a_quota, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from tests.builders.volumes import a_group_volume
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


class Group:
    """A scene with a head, a colleague, and an owner who leaves."""

    def __init__(self) -> None:
        self.scene = a_scene()
        self.head = a_member(self.scene.group, "group_admin")
        self.colleague = a_member(self.scene.group)
        self.leaver = self.scene.owner

    def leave(self) -> None:
        Membership.objects.filter(user=self.leaver).delete()
        follow_leavers()

    def ask(self, work: Workload, to: User, by: User | None = None) -> Any:
        address = f"{API}/workloads/{work.pk}/handover"
        return browser(by or self.head).post(address, {"to": to.username}, format="json")

    def running(self, **columns: Any) -> tuple[Workload, Allocation]:
        work = self.scene.work(gpus=1, **columns)
        (held,) = self.scene.place(work, self.scene.placement(cards=(0,)))
        self.scene.links[0].beat()
        self.scene.links[0].beat(containers=[running(held)])
        return work, held


@pytest.fixture
def group() -> Group:
    return Group()


def sweep() -> None:
    run_sweep(heartbeat=timedelta(seconds=5))


def reason(work: Workload) -> str:
    run_once()
    kind = "environments" if work.kind == "environment" else "jobs"
    shown = json_of(browser(a_user(role="auditor")).get(f"{API}/{kind}/{work.pk}"))
    return str(shown["reasons"][0]["code"]) if shown["reasons"] else ""


def test_waiting_work_starts_for_its_new_owner_once_that_person_agrees(group: Group) -> None:
    files = [f"home:{group.leaver.pk}"]
    work = group.scene.work(gpus=1, spec={"home": True}, files=files)
    group.leave()

    shown = json_of(group.ask(work, group.colleague), 202)

    assert (shown["owner"]["username"], shown["held_by"]) == (group.colleague.username, "new_owner")
    assert (shown["owner_left_at"], shown["heir"]) == (None, None)
    work.refresh_from_db()
    assert work.files == [f"home:{group.colleague.pk}"]
    assert reason(work) == "held_for_new_owner"
    notice = Notice.objects.get(user=group.colleague)
    assert (notice.code, notice.path) == ("work_handed_over", f"/jobs/{work.pk}")
    event = AuditEvent.objects.get(action="workload.hand_over")
    assert (event.params["from"], event.params["to"]) == (
        group.leaver.username,
        group.colleague.username,
    )

    for stranger in (group.head, a_user(role="operator"), a_user(role="platform_admin")):
        refused = browser(stranger).post(f"{API}/jobs/{work.pk}/release", {}, format="json")
        problem_of(refused, 403, "held_by_other")
    own = browser(group.colleague)
    json_of(own.post(f"{API}/jobs/{work.pk}/release", {}, format="json"), 202)
    run_once()
    work.refresh_from_db()
    assert work.state == "placing"
    assert_sound()


def test_nobody_takes_the_place_of_the_consent_by_another_hold(group: Group) -> None:
    work = group.scene.work(gpus=1)
    group.leave()
    group.ask(work, group.colleague)

    for holder in (group.head, a_user(role="operator")):
        browser(holder).post(f"{API}/jobs/{work.pk}/hold", {}, format="json")

    work.refresh_from_db()
    assert work.held_by == "new_owner"


def test_whoever_takes_it_has_agreed(group: Group) -> None:
    work = group.scene.work(gpus=1)
    group.leave()

    shown = json_of(group.ask(work, group.head), 202)

    assert (shown["owner"]["username"], shown["held_by"]) == (group.head.username, "")
    run_once()
    work.refresh_from_db()
    assert work.state == "placing"
    assert not Notice.objects.filter(user=group.head, code="work_handed_over").exists()


def test_what_runs_stays_as_it_is_until_its_attempt_is_over(group: Group) -> None:
    quota = a_quota(group.scene.group, ceiling=None, user_ceiling=8000)
    ports = {"ports": [8080]}
    work, held = group.running(restart={"rule": "on_failure"}, retries_max=2, spec=ports)
    group.leave()

    shown = json_of(group.ask(work, group.colleague), 202)

    assert shown["owner"]["username"] == group.leaver.username
    assert shown["heir"]["username"] == group.colleague.username
    sweep()
    work.refresh_from_db()
    assert (work.state, work.owner_id) == ("running", group.leaver.pk)
    for person in (group.colleague, group.head):
        address, port = f"{API}/jobs/{work.pk}/tickets", {"port": 8080}
        problem_of(browser(person).post(address, port, format="json"), 403, "denied")

    group.scene.links[0].beat(finished=[finished(held, code=3)])
    sweep()
    work.refresh_from_db()
    assert (work.state, work.owner_id, work.heir_id) == ("queued", group.colleague.pk, None)
    assert reason(work) == "held_for_new_owner"
    quota.refresh_from_db()
    assert (quota.used, recount_quotas()) == (0, 0)
    assert_sound()


def test_usage_of_past_attempts_stays_their_owners() -> None:
    began = datetime(2026, 6, 1, 4, tzinfo=UTC)
    with freeze(began):
        group = Group()
        work, held = group.running(restart={"rule": "on_failure"}, retries_max=2)
    with freeze(began + timedelta(hours=1)):
        group.scene.links[0].beat(finished=[finished(held, code=3)])
        group.leave()
        json_of(group.ask(work, group.head), 202)
        update_usage()
        group.scene.place(work, group.scene.placement(cards=(0,)))
    with freeze(began + timedelta(hours=3)):
        update_usage()

    hours = {
        user: amount // 3_600_000_000
        for user, amount in UsageDay.objects.filter(gpu_milli_ms__gt=0).values_list(
            "user_id", "gpu_milli_ms"
        )
    }
    assert hours == {group.leaver.pk: 1, group.head.pk: 2}


def test_an_array_goes_as_one(group: Group) -> None:
    array = JobArray.objects.create(
        name="sweep", owner=group.leaver, group=group.scene.group, indexes="0-3", size=4
    )
    tasks = [
        a_workload(
            group.leaver,
            group.scene.group,
            group.scene.pool,
            gpus=1,
            array=array,
            array_index=index,
            heads_array=index == 0,
            state="succeeded" if index == 3 else "queued",
        )
        for index in range(4)
    ]
    group.scene.place(tasks[1], group.scene.placement(cards=(0,)))
    group.scene.links[0].beat()
    group.leave()

    json_of(group.ask(tasks[0], group.colleague), 202)

    array.refresh_from_db()
    owners = [Workload.objects.get(pk=task.pk).owner_id for task in tasks]
    assert array.owner_id == group.colleague.pk
    assert owners == [
        group.colleague.pk,
        group.leaver.pk,  # runs
        group.colleague.pk,
        group.leaver.pk,  # has ended
    ]
    own = browser(group.colleague)
    json_of(own.post(f"{API}/job-arrays/{array.pk}/release", {}, format="json"), 202)
    run_once()
    assert Workload.objects.get(pk=tasks[2].pk).state == "placing"


def test_a_notebook_comes_with_its_files_and_without_the_shares_of_its_old_owner(
    group: Group,
) -> None:
    notebook = group.scene.work(kind="environment", state="suspended")
    with freeze(now() - timedelta(seconds=1)):
        share = access_shares.share_access(
            actor=an_actor(group.leaver),
            workload_id=notebook.pk,
            kind="environment",
            person=group.head.pk,
            is_full=True,
            hours=24,
        )
    group.leave()
    json_of(group.ask(notebook, group.colleague), 202)

    assert list(access_shares.shares_with(an_actor(group.head))) == []
    assert access_shares.delete_lapsed_shares() == 1
    assert share.pk is not None
    start = f"{API}/environments/{notebook.pk}/start"
    json_of(browser(group.head).post(start), 202)
    assert reason(notebook) == "held_for_new_owner"
    listed = json_of(browser(group.colleague).get(f"{API}/environments?owner=me"))["results"]
    assert listed[0]["actions"] == ["stop", "start"]
    json_of(browser(group.colleague).post(start), 202)
    run_once()
    notebook.refresh_from_db()
    assert notebook.state == "placing"


def test_only_heads_hand_over_and_only_the_work_of_people_who_left(group: Group) -> None:
    work = group.scene.work(gpus=1)
    problem_of(group.ask(work, group.colleague), 409, "owner_still_submits")
    group.leave()

    problem_of(group.ask(work, group.head, by=group.colleague), 403, "denied")
    problem_of(group.ask(work, group.head, by=a_user(role="operator")), 403, "denied")
    elsewhere = a_member(a_group(), "group_admin")
    problem_of(group.ask(work, elsewhere, by=elsewhere), 404, "not_found")
    json_of(group.ask(work, group.colleague, by=a_user(role="platform_admin")), 202)


def test_nobody_gets_work_who_may_not_use_what_it_uses(group: Group) -> None:
    work = group.scene.work(gpus=1)
    group.leave()

    def refusal(to: User | str, code: str) -> None:
        name = to if isinstance(to, str) else to.username
        address = f"{API}/workloads/{work.pk}/handover"
        answer = browser(group.head).post(address, {"to": name}, format="json")
        problem_of(answer, 422, code)

    refusal("nobody-of-this-name", "unknown_person")
    refusal(group.leaver, "heir_may_not_submit")
    refusal(a_member(group.scene.group, "viewer"), "heir_may_not_submit")
    refusal(a_member(a_group()), "heir_may_not_submit")
    gone = a_member(group.scene.group)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    refusal(gone, "unknown_person")
    other = a_group_volume(a_group(), "theirs")
    spec = {"volumes": [{"id": str(other.pk), "name": "theirs"}]}
    Workload.objects.filter(pk=work.pk).update(spec=spec)
    refusal(group.colleague, "unknown_volume")


def test_what_has_ended_and_sessions_of_apps_are_not_handed_over(group: Group) -> None:
    ended = group.scene.work(state="succeeded")
    group.leave()

    problem_of(group.ask(ended, group.colleague), 409, "already_ended")


def test_the_hold_of_an_operator_stays_an_operators(group: Group) -> None:
    work = group.scene.work(gpus=1, held_by="operator")
    group.leave()

    problem_of(group.ask(work, group.colleague), 403, "held_by_other")
    json_of(group.ask(work, group.colleague, by=a_user(role="platform_admin")), 202)


@pytest.mark.parametrize("who", ["owner comes back", "heir leaves, too"])
def test_it_stays_its_owners_where_that_is_right_by_the_end_of_its_attempt(
    group: Group, who: str
) -> None:
    work, held = group.running(restart={"rule": "on_failure"}, retries_max=2)
    group.leave()
    json_of(group.ask(work, group.colleague), 202)
    if who == "owner comes back":
        Membership.objects.create(user=group.leaver, group=group.scene.group, role="developer")
    else:
        Membership.objects.filter(user=group.colleague).delete()

    group.scene.links[0].beat(finished=[finished(held, code=3)])
    sweep()

    work.refresh_from_db()
    assert (work.state, work.owner_id, work.heir_id) == ("queued", group.leaver.pk, None)
