"""Tickets that become grants, and what ends a grant."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.endpoints import services
from portal.endpoints.models import Grant, Ticket
from portal.endpoints.values import WorkAvailability, digest_secret
from portal.identity.services import authenticate_token, end_access, revoke_token
from portal.notebooks import services as notebooks
from portal.tenancy.actors import load_actor
from portal.tenancy.models import Membership
from portal.workloads.models import Workload
from tests.builders.people import a_group, a_member, a_token, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.rest import browser
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    return a_scene(slices=8)


def a_session() -> str:
    session = SessionStore()
    session.create()
    return str(session.session_key)


def actor_of(scene: Scene, session_key: str = "") -> Actor:
    return load_actor(scene.owner, session_key=session_key)


def a_running_notebook(scene: Scene) -> Workload:
    notebook = scene.work(kind="environment", slices=1)
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    notebook.refresh_from_db()
    assert notebook.state == "running"
    return notebook


def code_in(url: str) -> str:
    parts = urlsplit(url)
    assert parts.path == "/open"
    return parse_qs(parts.query)["ticket"][0]


def a_grant(
    scene: Scene, notebook: Workload, session_key: str = "", *, actor: Actor | None = None
) -> str:
    caller = actor or actor_of(scene, session_key)
    issued = services.issue_ticket(actor=caller, workload_id=notebook.pk, kind="environment")
    secret, workload_id = services.redeem_ticket(code_in(issued.url))
    assert workload_id == notebook.pk
    return secret


def test_ticket_buys_a_grant_once(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    issued = services.issue_ticket(
        actor=actor_of(scene), workload_id=notebook.pk, kind="environment"
    )
    code = code_in(issued.url)

    secret, _ = services.redeem_ticket(code)

    endpoint = services.authorise_grant(secret, notebook.pk)
    assert endpoint is not None
    (backend,) = endpoint.backends
    assert (backend.host, backend.port, len(endpoint.policy.token)) == ("127.0.0.1", 8899, 48)
    with pytest.raises(NotFoundError):
        services.redeem_ticket(code)
    with pytest.raises(NotFoundError):
        services.redeem_ticket("")
    assert code not in str(Ticket.objects.values())
    assert secret not in str(Grant.objects.values())


def test_ticket_expires(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    issued = services.issue_ticket(
        actor=actor_of(scene), workload_id=notebook.pk, kind="environment"
    )

    with freeze(now() + timedelta(seconds=61)), pytest.raises(NotFoundError):
        services.redeem_ticket(code_in(issued.url))


def test_live_grants_are_found_among_what_else_a_browser_sends(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    expired, ended, secret, other = (a_grant(scene, notebook) for _ in range(4))
    of_expired, of_ended = (
        Grant.objects.filter(digest=digest_secret(each)) for each in (expired, ended)
    )
    of_expired.update(expires_at=now())
    of_ended.update(revoked_at=now())
    sent = ["planted", expired, other, ended, "", secret]

    assert services.recognise_grants(sent, notebook.pk) == [other, secret]
    assert services.recognise_grants(sent, scene.work(kind="environment").pk) == []
    assert services.recognise_grants([], notebook.pk) == []


def test_grant_opens_only_its_own_notebook(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    secret = a_grant(scene, notebook)

    assert services.authorise_grant(secret, scene.work(kind="environment").pk) is None
    assert services.authorise_grant("x" * 43, notebook.pk) is None


def test_grant_dies_with_the_session(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    session_key = a_session()
    secret = a_grant(scene, notebook, session_key)
    assert services.authorise_grant(secret, notebook.pk) is not None

    SessionStore(session_key).delete()

    assert services.authorise_grant(secret, notebook.pk) is None


def test_grant_dies_with_the_token_that_asked_for_it(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    token = authenticate_token(a_token(scene.owner, "workload.open", "workload.view"))
    assert token is not None
    actor = load_actor(scene.owner, token=token)
    secret = a_grant(scene, notebook, actor=actor)
    assert services.authorise_grant(secret, notebook.pk) is not None

    revoke_token(actor=actor, token_id=token.pk)

    assert services.authorise_grant(secret, notebook.pk) is None


def test_grant_dies_with_the_password(scene: Scene) -> None:
    """The session of before is still a row then: nobody has come with it since."""
    notebook = a_running_notebook(scene)
    client = Client()
    client.force_login(scene.owner)
    secret = a_grant(scene, notebook, str(client.session.session_key))
    assert services.authorise_grant(secret, notebook.pk) is not None

    scene.owner.set_password("another-long-password")
    scene.owner.save()

    assert services.authorise_grant(secret, notebook.pk) is None


@pytest.mark.parametrize("has_session", [False, True])
def test_grant_and_ticket_do_not_come_back_with_the_user(scene: Scene, has_session: bool) -> None:
    notebook = a_running_notebook(scene)
    client = Client()
    client.force_login(scene.owner)
    session_key = str(client.session.session_key) if has_session else ""
    secret = a_grant(scene, notebook, session_key)
    issued = services.issue_ticket(
        actor=actor_of(scene, session_key), workload_id=notebook.pk, kind="environment"
    )

    end_access(actor=Actor.system("tests"), user=scene.owner)

    assert services.authorise_grant(secret, notebook.pk) is None
    with pytest.raises(NotFoundError):
        services.redeem_ticket(code_in(issued.url))
    assert services.authorise_grant(a_grant(scene, notebook), notebook.pk) is not None


def test_grant_dies_with_the_user_the_membership_and_the_run(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    secret = a_grant(scene, notebook)
    scene.owner.is_active = False
    scene.owner.save()
    assert services.authorise_grant(secret, notebook.pk) is None
    scene.owner.is_active = True
    scene.owner.save()
    assert services.authorise_grant(secret, notebook.pk) is not None
    notebooks.stop_notebook(actor=actor_of(scene), workload_id=notebook.pk)
    assert services.authorise_grant(secret, notebook.pk) is None


def test_grant_dies_when_the_owner_leaves_the_group(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    secret = a_grant(scene, notebook)

    Membership.objects.filter(user=scene.owner).delete()

    assert services.authorise_grant(secret, notebook.pk) is None


def test_holder_of_a_grant_learns_why_it_opens_nothing(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    session = a_session()
    secret = a_grant(scene, notebook, session)

    def availability() -> WorkAvailability | None:
        closed = services.describe_closed(secret, notebook.pk)
        return closed.availability if closed else None

    notebooks.stop_notebook(actor=actor_of(scene), workload_id=notebook.pk)
    assert availability() is WorkAvailability.STOPPING
    scene.links[0].beat(containers=[])
    assert availability() is WorkAvailability.STOPPED
    notebooks.start_notebook(actor=actor_of(scene), workload_id=notebook.pk)
    assert availability() is WorkAvailability.STARTING
    notebooks.delete_notebook(actor=actor_of(scene), workload_id=notebook.pk)
    assert availability() is WorkAvailability.ENDED

    SessionStore(session).delete()
    assert availability() is None
    assert services.describe_closed("x" * 43, notebook.pk) is None


def test_ticket_tells_the_gateway_the_language(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    post = browser(scene.owner).post
    address = f"/api/v1/environments/{notebook.pk}/tickets"
    answer = post(address, {}, format="json", headers={"Accept-Language": "zh-CN"})
    assert parse_qs(urlsplit(answer.json()["url"]).query)["lang"] == ["zh-CN"]


def test_only_the_owner_opens(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    colleague = an_actor(a_member(scene.group, "group_admin"))
    outsider = an_actor(a_member(a_group()))

    with pytest.raises(DeniedError):
        services.issue_ticket(actor=colleague, workload_id=notebook.pk, kind="environment")
    with pytest.raises(NotFoundError):
        services.issue_ticket(actor=outsider, workload_id=notebook.pk, kind="environment")


def test_what_does_not_listen_yet_is_not_opened(scene: Scene) -> None:
    with pytest.raises(ConflictError, match="not_ready"):
        services.issue_ticket(
            actor=actor_of(scene), workload_id=scene.work(kind="environment").pk, kind="environment"
        )


def test_restart_keeps_the_id_and_changes_the_secret(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    secret = a_grant(scene, notebook)
    first = services.authorise_grant(secret, notebook.pk)
    (held,) = scene.held(notebook)
    notebooks.stop_notebook(actor=actor_of(scene), workload_id=notebook.pk)
    scene.links[0].beat(finished=[finished(held, -15, ExitCause.STOPPED)])
    notebook.refresh_from_db()
    assert (notebook.state, notebook.cause) == ("suspended", "requested")

    notebooks.start_notebook(actor=actor_of(scene), workload_id=notebook.pk)
    (again,) = scene.place(notebook, scene.placement(cards=(1,), slots=(7,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(again, port=8900)])

    notebook.refresh_from_db()
    assert (notebook.state, notebook.epoch, notebook.exit_code) == ("running", 2, None)
    second = services.authorise_grant(secret, notebook.pk)
    assert first is not None
    assert second is not None
    assert (second.backends[0].port, second.policy != first.policy) == (8900, True)


def test_old_access_is_forgotten(scene: Scene) -> None:
    notebook = a_running_notebook(scene)
    a_grant(scene, notebook)

    with freeze(now() + timedelta(hours=12)):
        assert services.forget_old_access() == 0
    with freeze(now() + timedelta(days=2)):
        assert services.forget_old_access() == 2
