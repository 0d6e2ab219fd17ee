"""The agent changes its key in time: first on disk, then in use, and the old one until then."""

import asyncio
from pathlib import Path

import pytest
from aiohttp import ClientError, web
from aiohttp.test_utils import TestServer

from nodeagent.link.identity import IdentityFile, NodeCredentials, NodeIdentity
from nodeagent.link.key_renewal import KeyRejectedError, KeyRenewal, is_renewal_due
from nodeagent.link.websocket import WebSocketLink
from tests.fakes.node_ports import FakeClock, FakeLinkListener
from tests.waiting import wait_until_async
from wire.messages import NewKey

LIFE_S = 900


class KeyPortal:
    """Gives keys with rising numbers, and knows who connects with which one."""

    def __init__(self) -> None:
        self.given = 0
        self.status = 201
        self.connected: list[str] = []
        app = web.Application()
        app.router.add_post("/node/v1/key", self._give)
        app.router.add_get("/node/v1/link", self._link)
        self.server = TestServer(app)

    async def _give(self, request: web.Request) -> web.Response:
        if self.status != 201:
            return web.Response(status=self.status)
        assert request.headers["Authorization"] == f"Bearer key-{self.given}"
        self.given += 1
        answer = NewKey(key=f"key-{self.given}", life_s=LIFE_S)
        return web.json_response(answer.model_dump(), status=201)

    async def _link(self, request: web.Request) -> web.StreamResponse:
        self.connected.append(request.headers["Authorization"])
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket


async def test_the_next_key_is_kept_and_the_link_opened_again_with_it(tmp_path: Path) -> None:
    portal, clock = KeyPortal(), FakeClock()
    async with portal.server:
        url = str(portal.server.make_url("/"))
        file = IdentityFile(tmp_path / "identity.json")
        credentials = NodeCredentials(NodeIdentity(node_id="n", key="key-0"))
        renewal = KeyRenewal(url, file, credentials, clock)
        link = asyncio.create_task(WebSocketLink(url, credentials).run(FakeLinkListener()))
        await wait_until_async(lambda: portal.connected)
        keeper = asyncio.create_task(renewal.run(interval_s=0.01))
        await wait_until_async(lambda: portal.connected[-1] == "Bearer key-1")
        kept = file.load()
        assert kept is not None
        assert (kept.node_id, kept.key, kept.key_life_s) == ("n", "key-1", LIFE_S)
        clock.now += LIFE_S * 1000
        await wait_until_async(lambda: portal.connected[-1] == "Bearer key-2")
        for task in (link, keeper):
            task.cancel()
        await asyncio.wait({link, keeper})


@pytest.mark.parametrize(("status", "error"), [(401, KeyRejectedError), (503, ClientError)])
async def test_a_refusal_changes_nothing(
    tmp_path: Path, status: int, error: type[Exception]
) -> None:
    portal = KeyPortal()
    portal.status = status
    async with portal.server:
        credentials = NodeCredentials(NodeIdentity(node_id="n", key="key-0"))
        file = IdentityFile(tmp_path / "identity.json")
        url = str(portal.server.make_url("/"))
        with pytest.raises(error):
            await KeyRenewal(url, file, credentials, FakeClock()).renew()
    assert (credentials.identity.key, file.load()) == ("key-0", None)


@pytest.mark.parametrize(
    ("life_s", "age_s", "due"),
    [(None, 0, True), (900, 0, False), (900, 599, False), (900, 600, True), (900, -1, True)],
)
def test_a_key_is_due_at_two_thirds_of_its_life(life_s: int | None, age_s: int, due: bool) -> None:
    identity = NodeIdentity(node_id="n", key="k", key_life_s=life_s, obtained_at=1_000_000)
    assert is_renewal_due(identity, 1_000_000 + age_s * 1000) is due
