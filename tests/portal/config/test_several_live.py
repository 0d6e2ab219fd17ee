"""Two real live processes of one portal; one is killed while a page has a shell through it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientSession, WSMsgType

from nodeagent.access.streams import ContainerStreams
from nodeagent.link.identity import NodeCredentials, NodeIdentity
from portal.inventory.models import NodeKey
from tests.portal.access.site import OneNode, Screen, Site, Work, a_site, some_work
from tests.portal.agentlink.test_keys import a_key
from tests.processes import Live, live_process
from tests.waiting import wait_until_async
from wire.codec import decode_to_agent
from wire.messages import OpenStream

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def _work_with_key() -> tuple[Work, str]:
    """Return running work and a key of its node."""
    work, key = some_work(), a_key()
    NodeKey.objects.update(node=work.node)
    return work, key


@asynccontextmanager
async def _a_link(
    client: ClientSession, live: Live, node: OneNode, key: str
) -> AsyncIterator[None]:
    """Link the node to one process; it opens the streams that it is asked for at the portal."""
    credentials = NodeCredentials(NodeIdentity(node_id=str(node.node_id), key=key))
    streams = ContainerStreams(live.portal, credentials, node.doors)
    headers = {**_to(live), "Authorization": f"Bearer {key}"}

    async def serve() -> None:
        async with client.ws_connect(f"{live.url}/node/v1/link", headers=headers) as link:
            linked.set()
            async for message in link:
                if message.type is WSMsgType.TEXT:
                    asked = decode_to_agent(message.data)
                    if isinstance(asked, OpenStream):
                        opening = streams.serve(asked, lambda key: key in node.live)
                        node.tasks.append(asyncio.create_task(opening))

    linked = asyncio.Event()
    task = asyncio.create_task(serve())
    try:
        await wait_until_async(lambda: linked.is_set() or task.done())
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def _a_page(
    client: ClientSession, live: Live, work: Work, name: str
) -> AsyncIterator[Screen]:
    url = f"{live.url}/api/v1/jobs/{work.row.pk}/terminal?session={name}"
    headers = {**_to(live), "Authorization": f"Bearer {work.token}"}
    async with client.ws_connect(url, headers=headers) as socket:
        yield Screen(socket)


def _to(live: Live) -> dict[str, str]:
    """Return the `Host` that a balancer would leave as it is."""
    return {"Host": urlsplit(live.portal).netloc}


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[tuple[Site, str]]:
    work, key = await asyncio.to_thread(_work_with_key)
    async with a_site(work, tmp_path) as site:
        yield site, key


async def test_the_newer_link_of_a_node_counts_wherever_it_is(
    site: tuple[Site, str], tmp_path: Path
) -> None:
    house, key = site
    with live_process(tmp_path) as first, live_process(tmp_path, beside=first) as second:
        headers = {**_to(first), "Authorization": f"Bearer {key}"}
        async with ClientSession() as client:
            old = await client.ws_connect(f"{first.url}/node/v1/link", headers=headers)
            async with _a_link(client, second, house.node, key):
                assert (await old.receive()).type is WSMsgType.CLOSE
                assert old.close_code == 4409
                async with _a_page(client, first, house.work, "") as screen:
                    await screen.ready()


async def test_a_shell_over_two_processes_and_a_new_one_when_its_process_is_killed(
    site: tuple[Site, str], tmp_path: Path
) -> None:
    (house, key), work = site, site[0].work
    with live_process(tmp_path) as first, live_process(tmp_path, beside=first) as second:
        async with ClientSession() as client, _a_link(client, first, house.node, key):
            async with _a_page(client, second, work, "") as screen:
                name = await screen.ready()
                await screen.type("kept=here\n")
                await screen.until_shown(b"kept=here")
                await screen.socket.close(code=1001)
            async with _a_page(client, first, work, name) as screen:
                assert await screen.ready() == name
                await screen.type('echo "is $kept"\n')
                await screen.until_shown(b"is here")
                second.process.kill()
                await screen.until(lambda: screen.code is not None)
            async with _a_page(client, first, work, name) as screen:
                assert await screen.ready() != name
                await screen.type("echo $((6*7))\n")
                await screen.until_shown(b"42")
