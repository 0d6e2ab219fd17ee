"""The node's WebSocket: replies in order, nudges, and an end for nodes without a valid key."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType, WSServerHandshakeError
from django.db import OperationalError

from portal.agentlink.session import HEARTBEAT_GAP_S, RECHECK_S, NodeLink
from portal.execution import samples as execution
from portal.execution.logs import GrownLog
from portal.live.broadcast import Broadcaster
from tests.serving import free_socket, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async
from wire.codec import FRAME_MAX, encode
from wire.facts import NodeFacts
from wire.logs import LogChunk
from wire.messages import Desired, Heartbeat, Refused
from wire.opening import OPENING_HEADER
from wire.samples import Sample, Telemetry

NODE = UUID("0190d3a0-0000-7000-8000-00000000000a")
FACTS = NodeFacts(
    hostname="n1",
    agent_version="1",
    runtime="process",
    isolated=False,
    cpu_milli=1000,
    memory_mib=1024,
    address="127.0.0.1",
)


@dataclass
class Server:
    """The services behind the link: the newest sequence number, and what they were told."""

    keys: dict[str, UUID] = field(default_factory=lambda: {"key": NODE})
    last_seq: int = -1
    logs: list[GrownLog] = field(default_factory=list)
    samples: list[execution.NodeSample] = field(default_factory=list)
    is_down: bool = False
    is_full: bool = False
    second: str = ""
    """What the header of an agent says that is not let in."""

    def authenticate(self, key: str) -> UUID | None:
        return self.keys.get(key)

    def receive(self, node_id: UUID, heartbeat: Heartbeat) -> Desired | Refused:
        assert node_id == NODE
        if self.is_down:
            raise OperationalError("no connection")
        if heartbeat.boot_id == "copy":
            return Refused(code="identity_used_twice")
        if heartbeat.protocol != 1:
            return Refused(code="unsupported_protocol")
        if heartbeat.seq <= self.last_seq:
            return Refused(code="stale_seq", detail=str(self.last_seq))
        self.last_seq = heartbeat.seq
        return Desired(seq=heartbeat.seq)

    def admit(self, node_id: UUID, opening: str) -> bool:
        assert node_id == NODE
        return not opening or opening != self.second

    def keep(self, node_id: UUID, samples: Sequence[execution.NodeSample]) -> None:
        assert node_id == NODE
        if self.is_full:
            raise OperationalError("no room")
        self.samples += samples

    def store(self, node_id: UUID, grown: GrownLog) -> int:
        assert node_id == NODE
        self.logs.append(grown)
        return grown.offset + 3


@dataclass
class Site:
    """The link on a real server, and an agent's side of it."""

    url: str
    server: Server
    broadcaster: Broadcaster
    client: ClientSession

    @asynccontextmanager
    async def link(
        self, key: str = "key", opening: str = ""
    ) -> AsyncIterator[ClientWebSocketResponse]:
        headers = {"Authorization": f"Bearer {key}", OPENING_HEADER: opening}
        async with self.client.ws_connect(f"{self.url}/node/v1/link", headers=headers) as socket:
            yield socket


@pytest.fixture
def recheck_s() -> float:
    assert RECHECK_S < 5
    return RECHECK_S


@pytest.fixture
async def site(recheck_s: float) -> AsyncIterator[Site]:
    listener, server, broadcaster = free_socket(), Server(), Broadcaster()
    link = NodeLink(
        authenticate=server.authenticate,
        receive_heartbeat=server.receive,
        store_log=server.store,
        record_samples=server.keep,
        admit=server.admit,
        recheck_s=recheck_s,
        subscribe=broadcaster.subscribe,
    )
    async with ClientSession() as client, serving(link, listener):
        yield Site(url_of(listener), server, broadcaster, client)


def a_heartbeat(seq: int, protocol: int = 1) -> str:
    return encode(Heartbeat(protocol=protocol, boot_id="b", seq=seq, facts=FACTS))


async def heard(socket: ClientWebSocketResponse) -> Any:
    return await socket.receive_json(timeout=PATIENCE_S)


async def closed(socket: ClientWebSocketResponse) -> int | None:
    message = await socket.receive(timeout=PATIENCE_S)
    assert message.type is WSMsgType.CLOSE, message
    return socket.close_code


async def test_heartbeats_and_logs_are_answered_in_order(site: Site) -> None:
    chunk = encode(LogChunk(allocation="a.0", epoch=1, offset=0, data="YWJj"))
    async with site.link() as socket:
        for frame in (a_heartbeat(1), chunk, a_heartbeat(2), a_heartbeat(3)):
            await socket.send_str(frame)
        answers = [await heard(socket) for _ in range(4)]
    assert [answer["type"] for answer in answers] == ["desired", "log_ack", "desired", "desired"]
    assert [answer["seq"] for answer in answers if "seq" in answer] == [1, 2, 3]
    assert answers[1]["size"] == 3


async def test_samples_are_kept_and_losing_some_does_not_end_the_link(site: Site) -> None:
    told = encode(Telemetry(samples=(Sample(at=1), Sample(at=2))))
    async with site.link() as socket:
        for seq in (1, 2):
            await socket.send_str(told)
            await socket.send_str(a_heartbeat(seq))
            assert (await heard(socket))["seq"] == seq
            site.server.is_full = True
    assert [sample.at for sample in site.server.samples] == [1, 2]


async def test_a_repeated_or_late_heartbeat_is_refused_and_the_link_stays(site: Site) -> None:
    async with site.link() as socket:
        for seq in (5, 5, 4, 6):
            await socket.send_str(a_heartbeat(seq))
        answers = [await heard(socket) for _ in range(4)]
    assert [answer.get("code", answer.get("seq")) for answer in answers] == [
        5,
        "stale_seq",
        "stale_seq",
        6,
    ]


async def test_a_wake_becomes_a_nudge(site: Site) -> None:
    async with site.link() as socket:
        await wait_until_async(lambda: site.broadcaster.subscribers_of)
        site.broadcaster.publish(f"node:{NODE}")
        assert await heard(socket) == {"type": "nudge"}
    await wait_until_async(lambda: not site.broadcaster.subscribers_of)


async def test_heartbeats_are_slowed_down_not_refused(site: Site) -> None:
    loop = asyncio.get_running_loop()
    async with site.link() as socket:
        began = loop.time()
        for seq in range(11):
            await socket.send_str(a_heartbeat(seq))
        for _ in range(11):
            assert (await heard(socket))["type"] == "desired"
        assert loop.time() - began >= 10 * HEARTBEAT_GAP_S


@pytest.mark.parametrize("key", ["", "wrong", "key "])
async def test_strangers_are_refused_before_the_handshake(site: Site, key: str) -> None:
    if key.strip() == "key":
        site.server.keys.clear()
    with pytest.raises(WSServerHandshakeError) as refusal:
        async with site.link(key):
            pass
    assert refusal.value.status == 401


@pytest.mark.parametrize(
    ("frame", "code", "close_code"),
    [
        ("", "bad_frame", 1003),
        ("{", "bad_frame", 1003),
        ("null", "bad_frame", 1003),
        ('{"type": "desired", "seq": 1}', "bad_frame", 1003),
        (json.dumps({"type": "heartbeat", "seq": -1}), "bad_frame", 1003),
        ("[" * 100_000, "bad_frame", 1003),
        (b"\x00", "binary_frame", 1003),
        (" " * (FRAME_MAX + 1), "frame_too_large", 1009),
    ],
)
async def test_garbage_ends_the_link(
    site: Site, frame: str | bytes, code: str, close_code: int
) -> None:
    async with site.link() as socket:
        await (socket.send_str(frame) if isinstance(frame, str) else socket.send_bytes(frame))
        assert (await heard(socket))["code"] == code
        assert await closed(socket) == close_code
    assert site.server.last_seq == -1


async def test_another_protocol_is_told_so_and_ended(site: Site) -> None:
    async with site.link() as socket:
        await socket.send_str(a_heartbeat(1, protocol=99))
        assert (await heard(socket))["code"] == "unsupported_protocol"
        assert await closed(socket) == 4406


async def test_the_second_host_of_a_node_is_told_so_and_ended(site: Site) -> None:
    async with site.link() as socket:
        await socket.send_str(a_heartbeat(1).replace('"boot_id":"b"', '"boot_id":"copy"'))
        assert (await heard(socket))["code"] == "identity_used_twice"
        assert await closed(socket) == 4410


async def test_the_newer_link_of_a_node_takes_over(site: Site) -> None:
    async with site.link() as older, site.link() as newer:
        assert await closed(older) == 4409
        await newer.send_str(a_heartbeat(1))
        assert (await heard(newer))["seq"] == 1


async def test_a_second_agent_does_not_cut_off_the_first(site: Site) -> None:
    site.server.second = "boot-1 copy 0"
    async with site.link() as first:
        with pytest.raises(WSServerHandshakeError) as refused:
            async with site.link(opening=site.server.second):
                pass
        assert refused.value.status == 409
        await first.send_str(a_heartbeat(1))
        assert (await heard(first))["seq"] == 1


@pytest.mark.parametrize("recheck_s", [0.05], ids=["hasty"])
async def test_a_retired_node_is_ended(site: Site) -> None:
    async with site.link() as socket:
        site.server.keys.clear()
        assert await closed(socket) == 4403


async def test_without_a_database_the_node_is_told_to_come_back(site: Site) -> None:
    site.server.is_down = True
    async with site.link() as socket:
        await socket.send_str(a_heartbeat(1))
        assert await closed(socket) == 1013
