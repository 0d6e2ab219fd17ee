"""Web apps that need a host of their own: when they start, what they are told, and where tickets lead."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from portal.apps.commands import ServedAt
from portal.apps.models import WebApp
from portal.common.errors import NotFoundError
from portal.common.origins import HostPattern
from portal.endpoints import access_shares, services
from portal.workloads.models import Workload
from tests.builders.apps import an_app
from tests.builders.people import a_member, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import running
from tests.builders.volumes import a_home
from tests.rest import API, browser, json_of, problem_of, stranger
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

SESSIONS = f"{API}/app-sessions"
HOSTS = HostPattern.parse("https://*.apps.example.org")


@pytest.fixture
def _hosts() -> Iterator[None]:
    with override_site_config(apps_hosts=HOSTS):
        yield


@pytest.fixture
def scene() -> Scene:
    command = ["optuna-dashboard", "{folder}", "--port={port}", "--prefix={base_path}"]
    an_app("optuna", served_at=ServedAt.HOST, command=command)
    found = a_scene(slices=8)
    a_home(found.owner)
    return found


def start(scene: Scene) -> Workload:
    body = {"app": "optuna", "home": True, "group": scene.group.name}
    shown = json_of(browser(scene.owner).post(SESSIONS, body, format="json"), 202)
    return Workload.objects.get(pk=shown["id"])


def run(scene: Scene, session: Workload) -> None:
    """Place a session and let its node report that it runs."""
    (held,) = scene.place(session, scene.placement())
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])


def ticket_of(scene: Scene, session: Workload) -> tuple[str, str]:
    """Return the address of a new ticket, and its code."""
    answer = browser(scene.owner).post(f"{SESSIONS}/{session.pk}/tickets")
    url = json_of(answer, 201)["url"]
    return url, parse_qs(urlsplit(url).query)["ticket"][0]


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "optuna needs a host name of its own"), ("zh-CN", "optuna 需要独立的主机名")],
)
def test_without_hosts_such_an_app_is_refused_and_the_administrators_setting_named(
    scene: Scene, language: str, words: str
) -> None:
    body = {"app": "optuna", "home": True, "group": scene.group.name}
    headers = {"Accept-Language": language}
    answer = browser(scene.owner).post(SESSIONS, body, format="json", headers=headers)
    problem = problem_of(answer, 409, "no_apps_hosts")
    assert words in problem["detail"]
    assert "BERTH_APPS_HOSTS" in problem["detail"]
    assert not Workload.objects.filter(kind="app").exists()


@pytest.mark.usefixtures("_hosts")
def test_ticket_leads_to_the_host_of_the_session_and_the_app_is_at_its_root(scene: Scene) -> None:
    session = start(scene)
    assert "\nbase_path=\n" in session.spec["script"]

    url, code = ticket_of(scene, session)

    assert url == f"https://{session.pk}.apps.example.org/open?ticket={code}&lang=en"
    secret, led_to = services.redeem_ticket(code, session.pk)
    run(scene, session)
    endpoint = services.authorise_grant(secret, led_to)
    assert endpoint is not None
    assert (led_to, endpoint.policy.served_at) == (session.pk, ServedAt.HOST)


@pytest.mark.usefixtures("_hosts")
def test_ticket_is_exchanged_on_its_own_host_only(scene: Scene) -> None:
    session = start(scene)
    _, code = ticket_of(scene, session)
    for place in (None, UUID("0190d3a0-0000-7000-8000-00000000000b")):
        with pytest.raises(NotFoundError):
            services.redeem_ticket(code, place)
    assert services.redeem_ticket(code, session.pk)[1] == session.pk


@pytest.mark.usefixtures("_hosts")
def test_ticket_of_the_apps_origin_is_not_exchanged_on_a_host(scene: Scene) -> None:
    an_app("tensorboard")
    body = {"app": "tensorboard", "home": True, "group": scene.group.name}
    shown = json_of(browser(scene.owner).post(SESSIONS, body, format="json"), 202)
    session = Workload.objects.get(pk=shown["id"])
    _, code = ticket_of(scene, session)
    with pytest.raises(NotFoundError):
        services.redeem_ticket(code, session.pk)
    assert services.redeem_ticket(code)[1] == session.pk


@pytest.mark.usefixtures("_hosts")
def test_session_keeps_its_address_when_the_catalogue_changes(scene: Scene) -> None:
    session = start(scene)
    WebApp.objects.update(served_at=ServedAt.PATH)
    url, code = ticket_of(scene, session)
    assert urlsplit(url).hostname == f"{session.pk}.apps.example.org"
    assert services.redeem_ticket(code, session.pk)


def test_session_whose_hosts_were_taken_away_is_not_opened_elsewhere(scene: Scene) -> None:
    with override_site_config(apps_hosts=HOSTS):
        session = start(scene)
    answer = browser(scene.owner).post(f"{SESSIONS}/{session.pk}/tickets")
    problem_of(answer, 409, "no_apps_hosts")


@pytest.mark.usefixtures("_hosts")
def test_a_colleague_opens_what_is_shared_on_the_same_host(scene: Scene) -> None:
    session = start(scene)
    run(scene, session)
    mate = a_member(scene.group)
    share = access_shares.share_access(
        actor=an_actor(scene.owner),
        workload_id=session.pk,
        kind="app",
        person=mate.pk,
        is_full=False,
        hours=1,
    )

    url = services.issue_shared_ticket(actor=an_actor(mate), share_id=share.pk).url

    assert url.startswith(f"https://{session.pk}.apps.example.org/open?ticket=")


@pytest.mark.parametrize("has_hosts", [True, False])
def test_pages_know_whether_the_platform_has_such_hosts(has_hosts: bool) -> None:
    with override_site_config(apps_hosts=HOSTS if has_hosts else None):
        assert json_of(stranger().get(f"{API}/config"))["has_apps_hosts"] is has_hosts
