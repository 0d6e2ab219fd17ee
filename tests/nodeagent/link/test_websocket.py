"""The link over a real socket: it comes back, and bad frames change nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from nodeagent.link.identity import NodeCredentials, NodeIdentity
from nodeagent.link.join import JoinRejectedError, join_portal
from nodeagent.link.websocket import WebSocketLink
from tests.fakes.node_ports import FakeLinkListener
from tests.fakes.portal import JOIN_TOKEN, NODE_KEY, FakePortal
from tests.waiting import wait_until_async
from wire.facts import NodeFacts
from wire.messages import Desired, Heartbeat, Join, Nudge
from wire.opening import LinkOpening
from wire.versions import PROTOCOL_VERSION

FACTS = NodeFacts(
    hostname="h",
    agent_version="1",
    runtime="process",
    isolated=False,
    cpu_milli=1,
    memory_mib=1,
    address="a",
)
BEAT = Heartbeat(protocol=PROTOCOL_VERSION, boot_id="b", seq=1, facts=FACTS)


@asynccontextmanager
async def a_portal() -> AsyncIterator[FakePortal]:
    portal = FakePortal()
    await portal.server.start_server()
    try:
        yield portal
    finally:
        await portal.server.close()


@asynccontextmanager
async def linked(
    portal: FakePortal, key: str = NODE_KEY
) -> AsyncIterator[tuple[WebSocketLink, FakeLinkListener]]:
    link, listener = WebSocketLink(portal.url, a_credential(key)), FakeLinkListener()
    task = asyncio.create_task(link.run(listener))
    try:
        yield link, listener
    finally:
        task.cancel()
        await asyncio.wait({task})


def a_credential(key: str) -> NodeCredentials:
    return NodeCredentials(NodeIdentity(node_id="node-1", key=key))


async def at_least(number: int, count: Callable[[], int]) -> None:
    """Wait for a count that may have passed the number before anybody looks."""
    await wait_until_async(lambda: count() >= number)


async def test_message_is_sent_and_answered() -> None:
    async with a_portal() as portal, linked(portal) as (link, listener):
        await wait_until_async(lambda: listener.opens)
        link.send(BEAT)
        await wait_until_async(lambda: listener.messages)
        assert isinstance(listener.messages[0], Desired)


async def test_lost_link_opens_again() -> None:
    async with a_portal() as portal, linked(portal) as (_, listener):
        for lost in (1, 2, 3):
            await at_least(lost, lambda: min(listener.opens, len(portal.sockets)))
            await portal.sockets[lost - 1].close()
            # The next link may already stand when this looks, so only the lost one is counted.
            await at_least(lost, lambda: listener.closes)
        assert listener.closes == 3
        await wait_until_async(lambda: listener.opens == 4)


async def test_the_portal_is_told_which_agent_opens_the_link() -> None:
    async with a_portal() as portal:
        link = WebSocketLink(portal.url, a_credential(NODE_KEY), "boot-1", "folder-1")
        listener = FakeLinkListener()
        task = asyncio.create_task(link.run(listener))
        await wait_until_async(lambda: listener.opens)
        link.send(BEAT)
        await wait_until_async(lambda: listener.messages)
        await portal.sockets[0].close()
        await wait_until_async(lambda: len(portal.openings) == 2)
        task.cancel()
        await asyncio.wait({task})
    told = [LinkOpening.from_header(text) for text in portal.openings]
    assert told == [
        LinkOpening("boot-1", "folder-1", was_answered=False),
        LinkOpening("boot-1", "folder-1", was_answered=True),
    ]


@pytest.mark.parametrize("text", ["", "boot", "boot folder", " folder 1", "a b c d"])
def test_other_words_of_an_opening_say_nothing(text: str) -> None:
    assert LinkOpening.from_header(text) is None


async def test_frames_that_are_no_messages_change_nothing() -> None:
    async with a_portal() as portal, linked(portal) as (_, listener):
        await wait_until_async(lambda: portal.sockets)
        for frame in ("", "{", '{"type": "heartbeat"}', "[" * 1000, '{"type": "desired"}'):
            await portal.sockets[0].send_str(frame)
        await portal.sockets[0].send_bytes(b"\xff\xfe")
        await portal.nudge()
        await wait_until_async(lambda: listener.messages)
        assert listener.messages == [Nudge()]
        assert listener.closes == 0


async def test_message_without_a_link_is_dropped() -> None:
    WebSocketLink("http://127.0.0.1:9", a_credential("key")).send(BEAT)


async def test_wrong_key_is_never_linked() -> None:
    async with a_portal() as portal, linked(portal, "another key") as (_, listener):
        await wait_until_async(lambda: portal.refusals >= 2)
        assert listener.opens == 0
        assert portal.sockets == []


def a_join(token: str) -> Join:
    return Join(protocol=PROTOCOL_VERSION, token=token, name="n", facts=FACTS)


async def test_token_buys_a_key() -> None:
    async with a_portal() as portal:
        assert (await join_portal(portal.url, a_join(JOIN_TOKEN))).key == NODE_KEY


async def test_refused_token_is_an_error_not_a_loop() -> None:
    async with a_portal() as portal:
        with pytest.raises(JoinRejectedError, match="join_token_invalid"):
            await join_portal(portal.url, a_join("token-of-another-node"))
