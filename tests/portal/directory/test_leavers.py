"""A person who leaves the directory is shut out at each door, by the word of the directory alone."""

from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest
from pytest_django import Settings

from portal.agentlink.session import RECHECK_S as LINK_RECHECK_S
from portal.endpoints import services as endpoints
from portal.gateway.grants import RECHECK_S as GATEWAY_RECHECK_S
from portal.identity import ssh_keys
from portal.live.authentication import RECHECK_S as SOCKET_RECHECK_S
from portal.live.authentication import RequestCredentials, authenticate
from portal.tenancy.actors import load_actor
from portal.tenancy.submitters import find_without_right
from tests.builders.directories import ScimServer, a_directory
from tests.builders.people import a_token
from tests.builders.scenes import a_scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of, pipeline, problem_of
from tests.ssh_keys import a_key

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

SHUT_OUT_WITHIN_S: Final = 60
LEAVING = {
    "entra": ("PATCH", {"Operations": [{"op": "Replace", "path": "active", "value": "False"}]}),
    "okta": ("PATCH", {"Operations": [{"op": "replace", "value": {"active": False}}]}),
    "removed": ("DELETE", None),
}


@pytest.mark.parametrize("way", LEAVING)
def test_a_leaver_finds_every_door_shut(way: str, settings: Settings) -> None:
    scene = a_scene(slices=8)
    owner = scene.owner
    server = ScimServer(a_directory(links_existing=True))
    person = server.add_person(owner.username)
    notebook = scene.work(kind="environment", slices=1)
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8899)])
    page = browser(owner)
    session = RequestCredentials(session_key=page.cookies[settings.SESSION_COOKIE_NAME].value)
    line, fingerprint = a_key()
    key = {"name": "laptop", "public_key": line}
    json_of(page.post(f"{API}/ssh-keys", key, format="json"), 201)
    program, bearer = pipeline(owner, "me.view"), RequestCredentials(bearer=a_token(owner))
    actor = load_actor(owner, session_key=session.session_key)
    issued = endpoints.issue_ticket(actor=actor, workload_id=notebook.pk, kind="environment")
    code = parse_qs(urlsplit(issued.url).query)["ticket"][0]
    cookie, _ = endpoints.redeem_ticket(code)
    assert endpoints.authorise_grant(cookie, notebook.pk) is not None
    assert authenticate(session) is not None
    assert authenticate(bearer) is not None

    method, body = LEAVING[way]
    status = 204 if body is None else 200
    server.send(method, f"Users/{person['id']}", body, status)

    problem_of(page.get(f"{API}/me"), 401, "not_authenticated")
    problem_of(program.get(f"{API}/me"), 401, "credentials_refused")
    assert authenticate(session) is None
    assert authenticate(bearer) is None
    assert ssh_keys.authenticate_key(fingerprint) is None
    assert endpoints.authorise_grant(cookie, notebook.pk) is None
    leaver = (str(owner.pk), str(notebook.group_id))
    assert find_without_right([leaver]) == {leaver}


def test_what_is_open_is_asked_again_within_the_minute() -> None:
    """Sockets, terminals, transfers and notebooks ask these clocks, with tests of their own."""
    for every in (SOCKET_RECHECK_S, GATEWAY_RECHECK_S, LINK_RECHECK_S):
        assert 0 < every <= SHUT_OUT_WITHIN_S / 10
