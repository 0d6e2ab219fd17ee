"""Several live processes: a page, a node's link and its streams may each be at another one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core import signing
from redis.asyncio import Redis

from portal.common.ids import new_id
from portal.common.redis_client import own_channel
from portal.live.peers import CHANNEL, KEY_PREFIX
from tests.portal.access.site import Front, Site, a_front, a_site, some_work
from tests.waiting import wait_until_async
from wire.codec import encode
from wire.messages import OpenStream

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Cluster:
    """Three live processes behind what would be a balancer: only `holder` has the node's link."""

    site: Site
    holder: Front
    page: Front
    other: Front
    redis: Redis


@pytest.fixture
async def cluster(tmp_path: Path, redis_url: str) -> AsyncIterator[Cluster]:
    work = await asyncio.to_thread(some_work)
    async with AsyncExitStack() as stack:
        redis = await stack.enter_async_context(Redis.from_url(redis_url, decode_responses=True))
        site = await stack.enter_async_context(a_site(work, tmp_path))
        holder, page, other = [
            await stack.enter_async_context(a_front(site, redis_url, has_link=has_link))
            for has_link in (True, False, False)
        ]
        site.node.url = other.url
        await _until_listening(redis, 3)
        yield Cluster(site, holder, page, other, redis)


async def _until_listening(redis: Redis, count: int) -> None:
    async def is_complete() -> bool:
        (_, listening), *_ = await redis.pubsub_numsub(own_channel(redis, CHANNEL))
        return listening == count and len(await redis.keys(f"{KEY_PREFIX}*")) == count

    await wait_until_async(is_complete)


async def test_page_link_and_stream_at_three_processes(cluster: Cluster) -> None:
    """The request goes to the holder of the link, the stream comes back over any process."""
    async with cluster.page.terminal() as screen:
        await screen.ready()
        await screen.type("echo $((6*7)); exit 3\n")
        assert await screen.until_closed() == {"type": "exited", "code": 3}
    assert b"42" in screen.shown
    assert cluster.site.node.told[0].stream.startswith(cluster.page.peers.id)


async def test_a_page_that_comes_back_elsewhere_finds_its_shell(cluster: Cluster) -> None:
    async with cluster.page.terminal() as screen:
        name = await screen.ready()
        await screen.type("kept=here\n")
        await screen.until_shown(b"kept=here")
        await screen.socket.close(code=1001)
    async with cluster.other.terminal(name) as screen:
        assert await screen.ready() == name
        assert screen.frames[0]["is_resumed"] is True
        await screen.type('echo "is $kept"; exit\n')
        await screen.until_shown(b"is here")


async def test_a_page_whose_process_is_gone_gets_a_new_shell(cluster: Cluster) -> None:
    """Also while the process still counts as present."""
    gone = "0123abcd"
    announced = signing.dumps({"id": gone, "url": "http://127.0.0.1:9"}, salt="portal.live.peers")
    for name in ("0" * 32, gone + "x" * 24):
        await cluster.redis.set(KEY_PREFIX + gone, announced)
        async with cluster.page.terminal(name) as screen:
            assert await screen.ready() != name
            assert screen.frames[0]["is_resumed"] is False


async def test_a_node_without_a_link_anywhere_is_offline(cluster: Cluster) -> None:
    cluster.site.node.is_connected = False
    async with cluster.page.terminal() as screen:
        assert await screen.until_closed() == {
            "type": "closed",
            "code": "node_offline",
            "params": {},
        }


async def test_a_new_link_ends_one_that_another_process_still_holds(cluster: Cluster) -> None:
    """A half-open connection would take requests for streams and answer none."""
    node_id = cluster.site.node.node_id
    await cluster.page.peers.announce_link(node_id)
    await wait_until_async(lambda: cluster.holder.dropped == [node_id])
    assert cluster.page.dropped == []


async def test_with_redis_away_the_holder_of_the_link_still_serves(
    cluster: Cluster, redis_url: str
) -> None:
    nowhere = f"{redis_url.partition('?')[0]}.away"
    async with (
        a_front(cluster.site, nowhere, has_link=True) as holder,
        a_front(cluster.site, nowhere, has_link=False) as page,
    ):
        cluster.site.node.url = holder.url
        async with holder.terminal() as screen:
            await screen.ready()
        async with page.terminal() as screen:
            assert (await screen.until_closed())["code"] == "node_offline"


async def test_unsigned_requests_open_nothing(cluster: Cluster) -> None:
    node = cluster.site.node
    request = OpenStream(stream="a" * 32, allocation="x.0", epoch=1, kind="terminal")
    body = {"from": "0" * 8, "node": str(node.node_id), "message": encode(request)}
    forged = signing.dumps(body, salt="portal.live.peers", key="another key")
    elsewhere = signing.dumps({**body, "node": str(new_id())}, salt="portal.live.peers")
    for message in ("", "{}", forged, elsewhere):
        await cluster.redis.publish(own_channel(cluster.redis, CHANNEL), message)
    async with cluster.page.terminal() as screen:
        await screen.ready()
    assert [told.stream[:8] for told in node.told] == [cluster.page.peers.id]


async def test_a_process_that_ends_is_forgotten_at_once(cluster: Cluster) -> None:
    known = cluster.page.peers
    assert await known.find_url(cluster.other.peers.id) == cluster.other.url
    cluster.other.reader.cancel()
    await asyncio.gather(cluster.other.reader, return_exceptions=True)
    assert await known.find_url(cluster.other.peers.id) is None
