"""Sharing a notebook with a colleague: who may, whom it lets in, and what ends it."""

from datetime import timedelta
from typing import Any

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.common.errors import (
    ConflictError,
    DeniedError,
    DomainError,
    ExhaustedError,
    InvalidError,
    NotFoundError,
)
from portal.endpoints import access_shares, services
from portal.endpoints.access_shares import SHARE_HOURS_MAX, SHARES_MAX
from portal.endpoints.models import AccessShare
from portal.endpoints.tasks import forget_old_access
from portal.endpoints.values import Endpoint, WorkAvailability
from portal.identity.models import Notice, User
from portal.notebooks import services as notebooks
from portal.tenancy.models import Membership
from portal.workloads.models import Idleness, Workload
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, pipeline, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene(slices=8)


@pytest.fixture
def notebook(scene: Scene) -> Workload:
    work = scene.work(kind="environment", slices=1)
    (held,) = scene.place(work, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    work.refresh_from_db()
    return work


def share(
    notebook: Workload,
    person: User,
    *,
    by: User | None = None,
    is_full: bool = False,
    hours: int = 1,
) -> AccessShare:
    return access_shares.share_access(
        actor=an_actor(by or notebook.owner),
        workload_id=notebook.pk,
        kind="environment",
        person=person.pk,
        is_full=is_full,
        hours=hours,
    )


def a_visit(shared: AccessShare) -> str:
    """Open what is shared, and return the secret of the grant."""
    issued = services.issue_shared_ticket(actor=an_actor(shared.recipient), share_id=shared.pk)
    secret, _ = services.redeem_ticket(issued.url.partition("ticket=")[2].partition("&")[0])
    return secret


def opened(secret: str, notebook: Workload) -> Endpoint | None:
    return services.authorise_grant(secret, notebook.pk)


@pytest.mark.parametrize("is_full", [False, True])
def test_colleague_opens_what_is_shared_as_themself(
    scene: Scene, notebook: Workload, is_full: bool
) -> None:
    colleague = a_member(scene.group)

    found = opened(a_visit(share(notebook, colleague, is_full=is_full)), notebook)

    assert found is not None
    assert (found.access.visitor, found.access.is_view_only) == (colleague.pk, not is_full)
    assert found.backends[0].port == 8899
    acts = AuditEvent.objects.filter(object_id=str(notebook.pk)).order_by("pk")
    last = [(act.action, act.actor_name) for act in acts][-2:]
    assert last == [
        ("share.create", scene.owner.username),
        ("environment.open", colleague.username),
    ]
    notice = Notice.objects.get(user=colleague)
    assert (notice.code, notice.path) == ("environment_shared", f"/notebooks/{notebook.pk}")


def test_only_the_owner_shares(scene: Scene, notebook: Workload) -> None:
    colleague = a_member(scene.group)
    for by, refusal in (
        (a_member(scene.group), DeniedError),
        (a_member(scene.group, "viewer"), DeniedError),
        (a_member(scene.group, "group_admin"), DeniedError),
        (a_user(role="platform_admin"), DeniedError),
        (a_user(role="operator"), DeniedError),
        (a_member(a_group()), NotFoundError),
    ):
        with pytest.raises(refusal):
            share(notebook, colleague, by=by)
    assert not AccessShare.objects.exists()


def test_only_members_of_the_group_receive_and_viewers_only_look(
    scene: Scene, notebook: Workload
) -> None:
    viewer, gone = a_member(scene.group, "viewer"), a_member(scene.group)
    gone.is_active = False
    gone.save()
    outsiders = (a_member(a_group()), a_user(role="platform_admin"), gone, scene.owner)
    for person in outsiders:
        with pytest.raises(InvalidError) as refusal:
            share(notebook, person)
        assert (refusal.value.code, refusal.value.params["pointer"]) == (
            "not_a_colleague",
            "/person",
        )
    with pytest.raises(InvalidError) as refusal:
        share(notebook, viewer, is_full=True)
    assert refusal.value.code == "viewers_view_only"

    found = opened(a_visit(share(notebook, viewer)), notebook)

    assert found is not None
    assert found.access.is_view_only


def test_share_ends_at_its_time(scene: Scene, notebook: Workload) -> None:
    shared = share(notebook, a_member(scene.group), hours=2)
    with freeze(now() + timedelta(minutes=90)):
        secret = a_visit(shared)
        assert opened(secret, notebook) is not None
    with freeze(now() + timedelta(hours=2)):
        assert opened(secret, notebook) is None
        with pytest.raises(NotFoundError):
            a_visit(shared)


def test_share_ends_with_the_membership_the_role_and_the_account(
    scene: Scene, notebook: Workload
) -> None:
    colleague = a_member(scene.group)
    shared = share(notebook, colleague, is_full=True)
    secret = a_visit(shared)
    membership = Membership.objects.get(user=colleague)

    membership.role = "viewer"
    membership.save()
    assert opened(secret, notebook) is None
    membership.role = "developer"
    membership.save()
    assert opened(secret, notebook) is not None
    colleague.is_active = False
    colleague.save()
    assert opened(secret, notebook) is None
    colleague.is_active = True
    colleague.save()
    membership.delete()
    assert opened(secret, notebook) is None

    forget_old_access()
    Membership.objects.create(user=colleague, group=scene.group, role="developer")

    assert opened(secret, notebook) is None
    assert not AccessShare.objects.exists()


def test_share_gives_no_more_than_its_owner_has(scene: Scene, notebook: Workload) -> None:
    secret = a_visit(share(notebook, a_member(scene.group)))

    Membership.objects.filter(user=scene.owner).delete()

    assert opened(secret, notebook) is None


def test_share_ends_with_the_work_and_survives_a_stop(scene: Scene, notebook: Workload) -> None:
    colleague = a_member(scene.group)
    secret = a_visit(share(notebook, colleague))
    notebooks.stop_notebook(actor=an_actor(scene.owner), workload_id=notebook.pk)
    scene.links[0].beat(containers=[])
    assert opened(secret, notebook) is None
    closed = services.describe_closed(secret, notebook.pk)
    assert closed is not None
    assert (closed.availability, closed.is_own) == (WorkAvailability.STOPPED, False)
    assert list(access_shares.shares_with(an_actor(colleague)))

    notebooks.delete_notebook(actor=an_actor(scene.owner), workload_id=notebook.pk)

    assert not access_shares.shares_with(an_actor(colleague))
    with pytest.raises(ConflictError):
        share(notebook, colleague)
    forget_old_access()
    assert not AccessShare.objects.exists()


@pytest.mark.parametrize("role", ["", "group_admin", "platform_admin", "operator"])
def test_owner_and_whoever_may_stop_it_revoke(scene: Scene, notebook: Workload, role: str) -> None:
    colleague = a_member(scene.group)
    shared = share(notebook, colleague, is_full=True)
    secret = a_visit(shared)
    by = scene.owner
    if role:
        by = a_member(scene.group, role) if role == "group_admin" else a_user(role=role)

    for stranger in (colleague, a_member(scene.group), a_member(a_group())):
        with pytest.raises(DomainError) as refusal:
            revoke(shared, stranger)
        assert refusal.value.status in {403, 404}
    revoke(shared, by)

    assert opened(secret, notebook) is None
    assert AuditEvent.objects.get(action="share.revoke").actor_name == by.username
    with pytest.raises(NotFoundError):
        revoke(shared, by)


def test_recipient_leaves_what_is_shared_and_nobody_elses(scene: Scene, notebook: Workload) -> None:
    colleague, other = a_member(scene.group), a_member(scene.group)
    shared = share(notebook, colleague)
    secret = a_visit(shared)
    address = f"{API}/access-shares/{shared.pk}"

    assert [browser(by).delete(address).status_code for by in (other, scene.owner)] == [404, 404]
    assert opened(secret, notebook) is not None
    assert browser(colleague).delete(address).status_code == 204

    assert opened(secret, notebook) is None
    assert browser(colleague).delete(address).status_code == 404
    assert AuditEvent.objects.get(action="share.leave").actor_name == colleague.username


def revoke(shared: AccessShare, by: User) -> None:
    access_shares.revoke_share(
        actor=an_actor(by),
        workload_id=shared.workload_id,
        kind="environment",
        share_id=shared.pk,
    )


def test_sharing_again_replaces_and_the_number_is_finite(scene: Scene, notebook: Workload) -> None:
    people = [a_member(scene.group) for _ in range(SHARES_MAX)]
    for person in people:
        share(notebook, person)

    share(notebook, people[0], is_full=True)

    assert AccessShare.objects.count() == SHARES_MAX
    assert AccessShare.objects.get(recipient=people[0]).is_full
    late = a_member(scene.group)
    with pytest.raises(ExhaustedError) as refusal:
        share(notebook, late)
    assert refusal.value.params == {"limit": SHARES_MAX}
    with freeze(now() + timedelta(hours=2)):
        share(notebook, late)
    assert AccessShare.objects.count() == 1


def test_a_look_does_not_bring_back_released_gpus(scene: Scene, notebook: Workload) -> None:
    colleague = a_member(scene.group)

    long_ago = now() - timedelta(hours=1)
    row = Idleness.objects.create(
        workload=notebook, epoch=notebook.epoch, reported_at=now(), active_at=long_ago, signal=""
    )

    a_visit(share(notebook, colleague))
    row.refresh_from_db()
    assert row.active_at == long_ago
    a_visit(share(notebook, colleague, is_full=True))
    row.refresh_from_db()
    assert (row.active_at > long_ago, row.signal) == (True, "open")


def test_share_gives_nothing_else(scene: Scene, notebook: Workload) -> None:
    """Full access is what the gateway proxies: not the owner's ticket, not its actions."""
    colleague = a_member(scene.group)
    share(notebook, colleague, is_full=True)
    client = browser(colleague)
    at = f"{API}/environments/{notebook.pk}"
    problem_of(client.post(f"{at}/tickets", {}, format="json"), 403, "denied")
    problem_of(client.post(f"{at}/stop"), 403, "denied")
    problem_of(client.post(f"{at}/restart"), 403, "denied")
    problem_of(
        client.post(f"{at}/shares", {"person": str(colleague.pk)}, format="json"), 403, "denied"
    )


def test_api_shares_lists_opens_and_revokes(scene: Scene, notebook: Workload) -> None:
    owner, colleague = browser(scene.owner), a_member(scene.group)
    at = f"{API}/environments/{notebook.pk}/shares"

    made = json_of(owner.post(at, {"person": str(colleague.pk)}, format="json"), 201)

    assert (made["access"], made["person"]["username"]) == ("view", colleague.username)
    assert json_of(owner.get(at)) == [made]
    assert json_of(browser(a_member(scene.group)).get(at)) == []
    assert json_of(browser(colleague).get(at)) == [made]
    problem_of(browser(a_member(a_group())).get(at), 404, "not_found")
    (received,) = json_of(browser(colleague).get(f"{API}/access-shares"))["results"]
    assert (received["id"], received["owner"]["username"]) == (made["id"], scene.owner.username)
    tickets = f"{API}/access-shares/{made['id']}/tickets"
    assert (
        "/open?ticket=" in json_of(browser(colleague).post(tickets, {}, format="json"), 201)["url"]
    )
    problem_of(owner.post(tickets, {}, format="json"), 404, "not_found")
    problem_of(browser(colleague).post(tickets, {"port": 6006}, format="json"), 422, "unknown_port")
    problem_of(pipeline(colleague, "workload.view").post(tickets), 403, "scope_missing")
    assert owner.delete(f"{at}/{made['id']}").status_code == 204
    assert json_of(browser(colleague).get(f"{API}/access-shares"))["results"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"person": "someone"},
        {"person": "{colleague}", "access": "all"},
        {"person": "{colleague}", "hours": 0},
        {"person": "{colleague}", "hours": SHARE_HOURS_MAX + 1},
        {"person": "{colleague}", "hours": None},
    ],
)
def test_share_without_person_or_end_is_refused(
    scene: Scene, notebook: Workload, body: dict[str, Any]
) -> None:
    colleague = a_member(scene.group)
    sent = {k: str(colleague.pk) if v == "{colleague}" else v for k, v in body.items()}
    answer = browser(scene.owner).post(
        f"{API}/environments/{notebook.pk}/shares", sent, format="json"
    )
    assert answer.status_code == 400
    assert not AccessShare.objects.exists()


def a_running_job(scene: Scene, **asked: Any) -> Workload:
    job = scene.work(kind="training", slices=1, **asked)
    (held,) = scene.place(job, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    job.refresh_from_db()
    return job


def test_ports_of_a_job_are_shared_and_end_with_it(scene: Scene) -> None:
    job = a_running_job(scene, spec={"script": "python -m http.server 8787", "ports": [8787, 6006]})
    owner, colleague = browser(scene.owner), a_member(scene.group)
    at = f"{API}/jobs/{job.pk}/shares"

    made = json_of(
        owner.post(at, {"person": str(colleague.pk), "access": "full"}, format="json"), 201
    )

    (received,) = json_of(browser(colleague).get(f"{API}/access-shares"))["results"]
    assert received["workload"]["kind"] == "training"
    tickets = f"{API}/access-shares/{made['id']}/tickets"
    first = json_of(browser(colleague).post(tickets, {}, format="json"), 201)["url"]
    assert "&port=8787" in first
    named = json_of(browser(colleague).post(tickets, {"port": 6006}, format="json"), 201)["url"]
    assert "&port=6006" in named
    problem_of(browser(colleague).post(tickets, {"port": 22}, format="json"), 422, "unknown_port")
    secret, _ = services.redeem_ticket(named.partition("ticket=")[2].partition("&")[0])
    found = opened(secret, job)
    assert found is not None
    assert (found.access.visitor, found.ports) == (colleague.pk, frozenset({8787, 6006}))
    problem_of(
        browser(colleague).post(f"{API}/jobs/{job.pk}/tickets", {"port": 6006}, format="json"),
        403,
        "denied",
    )
    notice = Notice.objects.get(user=colleague)
    assert (notice.code, notice.path) == ("training_shared", f"/jobs/{job.pk}")

    assert owner.delete(f"{at}/{made['id']}").status_code == 204

    assert opened(secret, job) is None


def test_job_without_a_port_has_nothing_to_share(scene: Scene) -> None:
    job = a_running_job(scene)
    body = {"person": str(a_member(scene.group).pk)}
    refused = browser(scene.owner).post(f"{API}/jobs/{job.pk}/shares", body, format="json")
    problem_of(refused, 409, "no_ports_to_share")
