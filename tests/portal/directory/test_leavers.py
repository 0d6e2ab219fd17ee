"""A person who leaves is shut out at each door at once: by SCIM, and by the hand of an administrator."""

from typing import Final

import pytest

from portal.agentlink.session import RECHECK_S as LINK_RECHECK_S
from portal.gateway.grants import RECHECK_S as GATEWAY_RECHECK_S
from portal.identity.models import User
from portal.live.authentication import RECHECK_S as SOCKET_RECHECK_S
from tests.builders.directories import ScimServer, a_directory
from tests.builders.people import a_user
from tests.portal.directory.doors import open_doors
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

SHUT_OUT_WITHIN_S: Final = 60
LEAVING = {
    "entra": ("PATCH", {"Operations": [{"op": "Replace", "path": "active", "value": "False"}]}),
    "okta": ("PATCH", {"Operations": [{"op": "replace", "value": {"active": False}}]}),
    "removed": ("DELETE", None),
}


@pytest.mark.parametrize("way", LEAVING)
def test_a_leaver_finds_every_door_shut(way: str) -> None:
    doors = open_doors()
    server = ScimServer(a_directory(links_existing=True))
    person = server.add_person(doors.owner.username)
    doors.are_open()

    method, body = LEAVING[way]
    status = 204 if body is None else 200
    server.send(method, f"Users/{person['id']}", body, status)

    doors.are_shut()


def test_whom_an_administrator_deactivates_finds_every_door_shut() -> None:
    doors = open_doors()
    doors.are_open()
    admin = browser(a_user(role="platform_admin"))

    address = f"{API}/users/{doors.owner.pk}"
    json_of(admin.patch(address, {"is_active": False}, format="json"))

    doors.are_shut()


def test_what_was_shut_stays_shut_when_the_person_comes_back() -> None:
    doors = open_doors()
    server = ScimServer(a_directory(links_existing=True))
    person = server.add_person(doors.owner.username)
    path = f"Users/{person['id']}"
    server.patch(path, {"op": "Replace", "path": "active", "value": "False"})

    server.patch(path, {"op": "Replace", "path": "active", "value": "True"})

    assert User.objects.get(pk=doors.owner.pk).is_active
    doors.are_ended()


def test_what_is_open_is_asked_again_within_the_minute() -> None:
    """Sockets, terminals, transfers and notebooks ask these clocks, with tests of their own."""
    for every in (SOCKET_RECHECK_S, GATEWAY_RECHECK_S, LINK_RECHECK_S):
        assert 0 < every <= SHUT_OUT_WITHIN_S / 10
