"""The agent's streams against a portal that a test plays: limits, refusals, and clean ends."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import WSMsgType, web
from aiohttp.test_utils import TestServer

from nodeagent.access.streams import ContainerStreams
from nodeagent.core.state import ContainerKey
from nodeagent.link.identity import NodeCredentials, NodeIdentity
from tests.fakes import exec_adapter, work
from tests.fakes.exec_adapter import FakeExecAdapter
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from tests.fakes.work import an_order
from tests.waiting import PATIENCE_S, wait_until_async
from wire.messages import OpenStream

KEY = ContainerKey("job.0", 1)


@dataclass
class Portal:
    """Takes streams and notes what is said on them."""

    arrived: "asyncio.Queue[web.WebSocketResponse]" = field(default_factory=asyncio.Queue)
    keys: list[str] = field(default_factory=list)

    async def take(self, request: web.Request) -> web.StreamResponse:
        self.keys.append(request.headers["Authorization"])
        socket = web.WebSocketResponse(autoclose=False)
        await socket.prepare(request)
        self.arrived.put_nowait(socket)
        await asyncio.Event().wait()
        return socket


@dataclass
class Node:
    """An agent's streams over fake doors."""

    portal: Portal
    streams: ContainerStreams
    exec_adapter: FakeExecAdapter
    live: set[ContainerKey]
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    async def open(self, **order: Any) -> web.WebSocketResponse:
        """Ask for a stream, and return the portal's end of it."""
        asked = {"allocation": KEY.allocation, "epoch": KEY.epoch, "kind": "terminal", **order}
        message = OpenStream.model_validate({"stream": "s1", **asked})
        serving = self.streams.serve(message, lambda key: key in self.live)
        self.tasks.append(asyncio.create_task(serving))
        async with asyncio.timeout(PATIENCE_S):
            return await self.portal.arrived.get()


@pytest.fixture
def per_container_max() -> int:
    return 8


@pytest.fixture
async def node(per_container_max: int) -> AsyncIterator[Node]:
    portal, machine = Portal(), FakeContainerHost()
    app = web.Application()
    app.router.add_get("/node/v1/streams/{id}", portal.take)
    server = TestServer(app)
    await server.start_server()
    await FakeRuntime(machine).start(an_order(work.SLEEPS), lambda *_: None)
    fake = FakeExecAdapter(machine)
    identity = NodeIdentity(node_id="node-1", key="node-key")
    served = ContainerStreams(
        str(server.make_url("/")),
        NodeCredentials(identity),
        fake,
        per_container_max=per_container_max,
        liveness_poll_s=0.02,
    )
    node = Node(portal, served, fake, {KEY})
    yield node
    for task in node.tasks:
        task.cancel()
    await asyncio.gather(*node.tasks, return_exceptions=True)
    await server.close()


async def said(socket: web.WebSocketResponse) -> Any:
    message = await socket.receive(timeout=PATIENCE_S)
    return json.loads(message.data) if message.type is WSMsgType.TEXT else message.data


async def test_stream_carries_bytes_messages_and_the_end(node: Node) -> None:
    socket = await node.open(command=exec_adapter.SPEAKS_TWICE, has_tty=False)
    assert node.portal.keys == ["Bearer node-key"]
    assert await said(socket) == {"type": "opened"}
    assert await said(socket) == b"out\n"
    assert await said(socket) == {"type": "diagnostics", "data": "ZXJyCg=="}
    assert await said(socket) == {"type": "exited", "code": 3}
    assert (await socket.receive(timeout=PATIENCE_S)).type is WSMsgType.CLOSE


async def test_portal_that_leaves_ends_the_session(node: Node) -> None:
    socket = await node.open(command=exec_adapter.WAITS)
    await said(socket)
    await wait_until_async(lambda: node.exec_adapter.count_sessions() == 1)
    closing = asyncio.create_task(socket.close())
    await wait_until_async(lambda: node.exec_adapter.count_sessions() == 0)
    await closing


async def test_container_that_ends_ends_the_stream(node: Node) -> None:
    socket = await node.open(command=exec_adapter.WAITS)
    await said(socket)
    node.live.clear()
    await wait_until_async(lambda: node.exec_adapter.count_sessions() == 0)


async def test_what_cannot_be_entered_is_answered_with_a_code(node: Node) -> None:
    for order, code in (
        ({"epoch": 2}, "container_gone"),
        ({"allocation": "other.0"}, "container_gone"),
        ({"kind": "port", "port": 1}, "nothing_listens"),
        ({"kind": "port"}, "nothing_listens"),
    ):
        refusal = await said(await node.open(**order))
        assert (refusal["type"], refusal["code"]) == ("failed", code)


@pytest.mark.parametrize("per_container_max", [1])
async def test_streams_are_counted_and_places_given_back(node: Node) -> None:
    first = await node.open(command=exec_adapter.WAITS)
    assert await said(first) == {"type": "opened"}
    assert (await said(await node.open()))["code"] == "too_many_streams"
    closing = asyncio.create_task(first.close())
    await wait_until_async(node.tasks[0].done)
    await closing
    assert await said(await node.open(command=exec_adapter.WAITS)) == {"type": "opened"}


async def test_nonsense_of_the_portal_ends_the_stream(node: Node) -> None:
    socket = await node.open(command=exec_adapter.WAITS)
    await said(socket)
    await socket.send_str('{"type": "signal", "name": "STOP"}')
    await wait_until_async(lambda: node.exec_adapter.count_sessions() == 0)


async def test_agent_that_ends_leaves_no_session(node: Node) -> None:
    socket = await node.open(command=exec_adapter.WAITS)
    await said(socket)
    node.tasks[0].cancel()
    await wait_until_async(lambda: node.exec_adapter.count_sessions() == 0)
