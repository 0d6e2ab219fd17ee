"""The page's WebSocket, on a real server, with rights that the test decides."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, WSServerHandshakeError

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.common.origins import Origin
from portal.live.authentication import RECHECK_S, RequestCredentials
from portal.live.broadcast import FRAMES_MAX, Broadcaster
from portal.live.consumers import (
    FOLDERS_MAX,
    SOCKETS_PER_USER_MAX,
    LiveConsumer,
    SocketContext,
)
from portal.live.frames import FRAME_MAX
from portal.live.topics import Audience, Subscription, Topic, parse_topic
from portal.volumes.files import volume_folder
from tests.documented import documented_session
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async

USER = UUID("0190d3a0-0000-7000-8000-00000000000a")
WORKLOAD = "workload:0190d3a0-0000-7000-8000-000000000001"
NODES = "nodes"
OWN_RIGHTS = f"rights:{USER}"
FOREIGN = "workload:0190d3a0-0000-7000-8000-000000000002"


@dataclass
class Rights:
    """Who is signed in, and what may be listened to."""

    sessions: set[str] = field(default_factory=lambda: {"session"})
    roles: dict[UUID, str] = field(default_factory=dict)
    seq: int = 7

    def authenticate(self, credentials: RequestCredentials) -> Actor | None:
        if {credentials.session_key, credentials.bearer} & self.sessions:
            return Actor(user_id=USER, kind="person", name="li.wei", roles=dict(self.roles))
        return None

    def authorize(self, actor: Actor, name: str) -> Subscription:
        topic = parse_topic(name)
        if topic is None or name == FOREIGN:
            raise NotFoundError("topic")
        return Subscription(topic, Audience(Action.WORKLOAD_VIEW, group_id=USER))

    def newest_seq(self, topic: Topic) -> int:
        return self.seq


@dataclass
class Site:
    """The portal's origin with its rights, its hub, and a browser."""

    url: str
    rights: Rights
    broadcaster: Broadcaster
    context: SocketContext
    client: ClientSession

    def open(self, **headers: str) -> Any:
        sent = {"Origin": self.url, "Cookie": "berth-session=session", **headers}
        return self.client.ws_connect(f"{self.url}/ws", headers=sent)


HASTY = pytest.mark.parametrize("recheck_s", [0.05], ids=["hasty"])
"""Rights are checked again at once."""


@pytest.fixture
def recheck_s() -> float:
    return RECHECK_S


@pytest.fixture
async def site(tmp_path: Path, recheck_s: float) -> AsyncIterator[Site]:
    listener = free_socket()
    rights, broadcaster = Rights(roles={USER: "viewer"}), Broadcaster()
    context = SocketContext(
        broadcaster=broadcaster,
        portal=Origin.parse(url_of(listener)),
        session_cookie="berth-session",
        authenticate=rights.authenticate,
        authorize_subscription=rights.authorize,
        get_newest_seq=rights.newest_seq,
        storage_dir=tmp_path,
        recheck_s=recheck_s,
    )
    app = LiveConsumer.as_asgi(context=context)
    async with documented_session() as client, serving(app, listener):
        yield Site(url_of(listener), rights, broadcaster, context, client)


async def say(socket: ClientWebSocketResponse, **frame: Any) -> None:
    await socket.send_str(json.dumps(frame))


async def subscribe(socket: ClientWebSocketResponse, *topics: str) -> None:
    await say(socket, op="subscribe", topics=[{"topic": topic} for topic in topics])


async def heard(socket: ClientWebSocketResponse) -> Any:
    return await socket.receive_json(timeout=PATIENCE_S)


async def closed(socket: ClientWebSocketResponse, within_s: float = PATIENCE_S) -> int | None:
    message = await socket.receive(timeout=within_s)
    assert message.type is WSMsgType.CLOSE, message
    return socket.close_code


async def test_a_page_is_notified_of_its_topics(site: Site) -> None:
    async with site.open() as socket:
        await subscribe(socket, WORKLOAD)
        begun = await heard(socket)
        assert begun.pop("quiet_ms") < PATIENCE_S * 1000
        assert begun == {"op": "subscribed", "topic": WORKLOAD, "seq": 7}
        site.broadcaster.publish(WORKLOAD, 8)
        assert await heard(socket) == {"op": "ring", "topic": WORKLOAD, "seq": 8}
        await say(socket, op="ping")
        assert await heard(socket) == {"op": "pong"}


async def test_a_page_is_told_which_rows_changed_until_there_are_too_many(site: Site) -> None:
    ring = {"op": "ring", "topic": NODES, "seq": 0}
    async with site.open() as socket:
        await subscribe(socket, NODES)
        assert (await heard(socket))["op"] == "subscribed"
        for name in ("n1", "n2"):
            site.broadcaster.publish_rows(NODES, [name])
        assert [await heard(socket) for _ in range(2)] == [
            {**ring, "rows": ["n1"]},
            {**ring, "rows": ["n2"]},
        ]
        for _ in range(FRAMES_MAX + 1):
            site.broadcaster.publish_rows(NODES, ["n3"])
        assert await heard(socket) == ring


async def test_a_page_is_notified_of_the_folders_it_has_open(site: Site, tmp_path: Path) -> None:
    folder = volume_folder(tmp_path, USER) / "run 1"
    folder.mkdir(parents=True)
    topics = [f"files:{USER}:{path}" for path in ("run%201", *map(str, range(FOLDERS_MAX)))]
    async with site.open() as socket:
        await subscribe(socket, topics[0])
        assert (await heard(socket))["op"] == "subscribed"
        (folder / "fresh").touch()
        assert await heard(socket) == {"op": "ring", "topic": topics[0], "seq": 0}
        await subscribe(socket, *topics[1:])
        answers = [await heard(socket) for _ in topics[1:]]
        refused = {"op": "refused", "topic": topics[-1], "code": "too_many_topics"}
        assert [each for each in answers if each["op"] == "refused"] == [refused]
        await say(socket, op="unsubscribe", topics=topics)
        await wait_until_async(lambda: topics[0] not in site.broadcaster.subscribers_of)


async def test_a_page_is_not_notified_of_topics_it_has_left(site: Site) -> None:
    async with site.open() as socket:
        await subscribe(socket, WORKLOAD)
        await heard(socket)
        await say(socket, op="unsubscribe", topics=[WORKLOAD])
        await wait_until_async(lambda: WORKLOAD not in site.broadcaster.subscribers_of)
        await say(socket, op="ping")
        assert await heard(socket) == {"op": "pong"}
    await wait_until_async(lambda: not site.broadcaster.subscribers_of)


@pytest.mark.parametrize("topic", [FOREIGN, "workload:*", "group:", "nodes ", "log:x:0", "secret"])
async def test_topics_that_are_not_ones_own_do_not_exist(site: Site, topic: str) -> None:
    async with site.open() as socket:
        await subscribe(socket, topic)
        assert await heard(socket) == {"op": "refused", "topic": topic, "code": "not_found"}
        assert topic not in site.broadcaster.subscribers_of


@pytest.mark.parametrize(
    "origin", ["", "null", "https://{host}", "http://{host}.evil", "http://127.0.0.1"]
)
async def test_other_origins_are_refused_before_the_handshake(site: Site, origin: str) -> None:
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.open(Origin=origin.format(host=site.url.removeprefix("http://")))
    assert refusal.value.status == 403


@pytest.mark.parametrize("cookie", ["", "berth-session=", "berth-session=gone", "other=session"])
async def test_strangers_are_told_to_sign_in(site: Site, cookie: str) -> None:
    async with site.open(Cookie=cookie) as socket:
        assert await closed(socket) == 4401


async def test_a_token_opens_a_socket_too(site: Site) -> None:
    async with site.open(Cookie="", Authorization="Bearer session") as socket:
        await say(socket, op="ping")
        assert await heard(socket) == {"op": "pong"}


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("", 1003),
        ("{", 1003),
        ("[]", 1003),
        ('{"op": "shout"}', 1003),
        ('{"op": "subscribe"}', 1003),
        ('{"op": "subscribe", "topics": [{"topic": 1}]}', 1003),
        ('{"op": "subscribe", "topics": ' + "[" * 50_000, 1003),
        (json.dumps({"op": "subscribe", "topics": [{"topic": "nodes"}] * 101}), 1003),
        ("x" * (FRAME_MAX + 1), 1009),
        ("x" * 10 * 1024 * 1024, 1009),
        (b"\x00\xff", 1003),
    ],
)
async def test_bad_frames_end_the_socket(site: Site, frame: str | bytes, code: int) -> None:
    async with site.open() as socket:
        await (socket.send_str(frame) if isinstance(frame, str) else socket.send_bytes(frame))
        assert await closed(socket) == code


async def test_a_flood_ends_the_socket(site: Site) -> None:
    async with site.open() as socket:
        for _ in range(500):
            await say(socket, op="ping")
        answers = [message async for message in socket]
    assert socket.close_code == 4429
    assert len(answers) < 250


async def test_sockets_of_one_user_are_counted(site: Site) -> None:
    opened = [await site.open() for _ in range(SOCKETS_PER_USER_MAX)]
    await say(opened[-1], op="ping")
    await heard(opened[-1])
    async with site.open() as one_too_many:
        assert await closed(one_too_many) == 4429
    await asyncio.gather(*(socket.close() for socket in opened))
    await wait_until_async(lambda: not site.context.limiter.in_use(USER))
    async with site.open() as socket:
        await say(socket, op="ping")
        assert await heard(socket) == {"op": "pong"}


def test_rights_are_looked_at_again_within_five_seconds() -> None:
    assert RECHECK_S < 5


@HASTY
async def test_signing_out_ends_the_socket(site: Site) -> None:
    async with site.open() as socket:
        site.rights.sessions.clear()
        assert await closed(socket) == 4401


@HASTY
async def test_losing_a_role_ends_the_socket(site: Site) -> None:
    async with site.open() as socket:
        await subscribe(socket, WORKLOAD)
        await heard(socket)
        site.rights.roles.clear()
        assert await closed(socket) == 4403


@pytest.mark.parametrize("recheck_s", [3600.0], ids=["hourly"])
async def test_rights_are_checked_at_once_when_they_change(site: Site) -> None:
    async with site.open() as socket:
        await subscribe(socket, WORKLOAD)
        await heard(socket)
        await wait_until_async(lambda: OWN_RIGHTS in site.broadcaster.subscribers_of)
        site.rights.roles.clear()
        site.broadcaster.publish(OWN_RIGHTS)
        assert await closed(socket) == 4403


async def test_a_page_that_does_not_read_holds_up_nobody_else(site: Site, tmp_path: Path) -> None:
    async with site.open() as silent, site.open() as other:
        await subscribe(silent, WORKLOAD)
        await wait_until_async(lambda: WORKLOAD in site.broadcaster.subscribers_of)
        (listener,) = site.broadcaster.subscribers_of[WORKLOAD]
        silent._response.connection.transport.pause_reading()
        for seq in range(200_000):
            site.broadcaster.publish(WORKLOAD, seq)
            if seq % 1000 == 0:
                await asyncio.sleep(0)
        assert len(listener._pending) <= 1
        await say(other, op="ping")
        assert await heard(other) == {"op": "pong"}
        silent._response.connection.transport.resume_reading()


@HASTY
async def test_a_page_that_takes_no_frames_is_disconnected(site: Site, recheck_s: float) -> None:
    """Played without a server, so that nothing buffers what the page does not read."""
    received: asyncio.Queue[Any] = asyncio.Queue()
    sent: list[str] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])
        if message["type"] == "websocket.send":
            await asyncio.Event().wait()

    context = replace(site.context, send_timeout_s=2 * recheck_s)
    headers = [(b"origin", site.url.encode()), (b"cookie", b"berth-session=session")]
    scope = {"type": "websocket", "path": "/ws", "headers": headers}
    page = asyncio.create_task(LiveConsumer(context=context)(scope, received.get, send))
    received.put_nowait({"type": "websocket.connect"})
    received.put_nowait({"type": "websocket.receive", "text": json.dumps({"op": "ping"})})
    await wait_until_async(lambda: "websocket.close" in sent)
    assert sent == ["websocket.accept", "websocket.send", "websocket.close"]
    page.cancel()
    await asyncio.gather(page, return_exceptions=True)
