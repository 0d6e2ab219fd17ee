"""The agent asks for secrets with its key, asks again when nobody answers, and tells what failed."""

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from nodeagent.core.state import ContainerKey
from nodeagent.host.secret_files import SecretFiles
from nodeagent.link.identity import NodeCredentials, NodeIdentity
from nodeagent.link.secrets import TRIES, PortalSecrets
from nodeagent.ports import StartError
from wire.images import RegistryLogin
from wire.secrets import Secrets, SecretValue
from wire.words import ExitCause

KEY = ContainerKey("3f2504e04f8911d39a0c0305e82c3301.0", 2)
GIVEN = Secrets(secrets=(SecretValue(kind="env", target="TOKEN", value="canary-91"),))

LOGIN = RegistryLogin(host="hub.example.org", username="berth", password="canary-92")


class SecretPortal:
    """Answers with each of these statuses once, then with the secrets."""

    def __init__(self, *refusals: int) -> None:
        self.refusals = list(refusals)
        self.asked: list[object] = []
        app = web.Application()
        app.router.add_post("/node/v1/secrets", self._answer)
        app.router.add_post("/node/v1/registry", self._answer_login)
        self.server = TestServer(app)

    async def _answer(self, request: web.Request) -> web.Response:
        self.asked.append((request.headers["Authorization"], await request.json()))
        if self.refusals:
            status = self.refusals.pop(0)
            body = {"code": "secret_missing", "params": {"secret": "hub"}}
            return web.json_response(body, status=status)
        return web.json_response(GIVEN.model_dump())

    async def _answer_login(self, request: web.Request) -> web.Response:
        self.asked.append((request.headers["Authorization"], await request.json()))
        if self.refusals:
            return web.json_response({"code": "not_found"}, status=self.refusals.pop(0))
        return web.json_response(LOGIN.model_dump())

    def secrets(self) -> PortalSecrets:
        credentials = NodeCredentials(NodeIdentity(node_id="n", key="key-1"))
        url = str(self.server.make_url("/"))
        return PortalSecrets(url, credentials, SecretFiles(Path()), pause_s=0)


async def test_a_start_gets_its_secrets_with_the_key_of_the_node() -> None:
    portal = SecretPortal()
    async with portal.server:
        assert await portal.secrets().fetch(KEY) == GIVEN.secrets
    assert portal.asked == [("Bearer key-1", KEY._asdict())]


async def test_a_portal_that_is_away_for_a_moment_is_asked_again() -> None:
    portal = SecretPortal(503, 502)
    async with portal.server:
        assert await portal.secrets().fetch(KEY) == GIVEN.secrets


@pytest.mark.parametrize(
    ("refusals", "cause", "detail"),
    [
        ([409], ExitCause.START_FAILED, "secret_missing: hub"),
        ([404], ExitCause.VANISHED, "secrets_refused"),
        ([503] * TRIES, ExitCause.NODE_FAULT, "secrets_unreachable"),
        ([429] * TRIES, ExitCause.NODE_FAULT, "secrets_unreachable"),
    ],
)
async def test_a_refusal_ends_the_start_by_its_cause(
    refusals: list[int], cause: ExitCause, detail: str
) -> None:
    portal = SecretPortal(*refusals)
    async with portal.server:
        with pytest.raises(StartError, match=detail) as caught:
            await portal.secrets().fetch(KEY)
    assert caught.value.cause is cause
    assert "canary" not in str(caught.value)


async def test_the_login_of_the_registry_is_fetched_with_the_key_and_shown_nowhere() -> None:
    portal = SecretPortal(503)
    async with portal.server:
        found = await portal.secrets().fetch_registry_login()
        await portal.secrets().fetch_registry_login(LOGIN.host)
    assert found == LOGIN
    assert portal.asked == [*[("Bearer key-1", {})] * 2, ("Bearer key-1", {"host": LOGIN.host})]
    assert "canary" not in repr(found)


@pytest.mark.parametrize(
    ("refusals", "cause", "detail"),
    [
        ([404], ExitCause.IMAGE_UNAVAILABLE, "registry_login_refused"),
        ([503] * TRIES, ExitCause.NODE_FAULT, "registry_login_unreachable"),
    ],
)
async def test_without_the_login_a_start_ends_by_its_cause(
    refusals: list[int], cause: ExitCause, detail: str
) -> None:
    portal = SecretPortal(*refusals)
    async with portal.server:
        with pytest.raises(StartError, match=detail) as caught:
            await portal.secrets().fetch_registry_login()
    assert caught.value.cause is cause
