"""The terminal of a page, through a real node into a real container."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import WSServerHandshakeError

from portal.audit.models import AuditEvent
from portal.common.concurrency import run_in_thread
from portal.identity.models import ApiToken
from portal.live.authentication import RECHECK_S
from portal.tenancy.models import Membership
from portal.workloads.models import Allocation
from tests.builders.people import a_group, a_member, a_token
from tests.portal.access.site import Site, Work, a_site, some_work
from tests.waiting import wait_until_async
from wire.words import ExitCause

pytestmark = pytest.mark.django_db(transaction=True)
HASTY = pytest.mark.parametrize("recheck_s", [0.05], ids=["hasty"])
"""Rights are checked again at once."""


@pytest.fixture
def work() -> Work:
    return some_work()


@pytest.fixture
def recheck_s() -> float:
    assert RECHECK_S < 5
    return RECHECK_S


@pytest.fixture
async def site(work: Work, tmp_path: Path, recheck_s: float) -> AsyncIterator[Site]:
    async with a_site(work, tmp_path, recheck_s=recheck_s) as site:
        yield site


def audited() -> list[tuple[str, dict[str, object]]]:
    events = AuditEvent.objects.filter(action__startswith="access.").order_by("id")
    return [(event.action, event.params) for event in events]


async def recorded(count: int) -> list[tuple[str, dict[str, object]]]:
    """Return what the audit log says once it says so much: the page is told first."""

    async def enough() -> list[tuple[str, dict[str, object]]]:
        found = await run_in_thread(audited)
        return found if len(found) >= count else []

    events: list[tuple[str, dict[str, object]]] = await wait_until_async(enough)
    return events


async def test_shell_answers_and_every_session_is_recorded(site: Site) -> None:
    async with site.terminal(columns=100, rows=30) as screen:
        await screen.ready()
        await screen.type("stty size; echo $((6*7)); exit 3\n")
        assert await screen.until_closed() == {"type": "exited", "code": 3}
        assert screen.code == 1000
    assert b"30 100" in screen.shown
    assert b"42" in screen.shown
    (opened, what), (closed, how) = await recorded(2)
    assert (opened, what["way"], what["name"]) == ("access.open", "terminal", site.work.row.name)
    assert (closed, how["closed_as"], how["node"]) == (
        "access.close",
        "exited",
        site.work.node.name,
    )
    assert isinstance(how["seconds"], int)


async def test_window_follows_and_pings_are_answered(site: Site) -> None:
    async with site.terminal() as screen:
        await screen.ready()
        await screen.say(type="resize", columns=77, rows=22)
        await screen.say(type="ping")
        await screen.until(lambda: screen.frames[-1] == {"type": "pong"})
        await screen.type("stty size\n")
        await screen.until_shown(b"22 77")


async def test_lost_page_finds_its_shell_again(site: Site) -> None:
    async with site.terminal() as screen:
        name = await screen.ready()
        await screen.type("here=$((40+2)); echo at:$here\n")
        await screen.until_shown(b"at:42")
        await screen.socket.close(code=1001)
    async with site.terminal(session=name) as again:
        assert await again.ready() == name
        assert again.frames[0]["is_resumed"] is True
        await again.until_shown(b"at:42")
        await again.type("echo still:$here\n")
        await again.until_shown(b"still:42")
    assert len(site.node.told) == 1


async def test_newer_page_takes_the_shell_over(site: Site) -> None:
    async with site.terminal() as screen:
        name = await screen.ready()
        async with site.terminal(session=name) as newer:
            await newer.ready()
            assert (await screen.until_closed())["code"] == "replaced"
            await newer.type("echo $((1+1))newer\n")
            await newer.until_shown(b"2newer")


async def test_page_that_says_good_bye_ends_the_shell(site: Site) -> None:
    async with site.terminal() as screen:
        name = await screen.ready()
        await screen.socket.close(code=1000)
    await wait_until_async(lambda: all(task.done() for task in site.node.tasks))
    async with site.terminal(session=name) as again:
        assert await again.ready() != name


@HASTY
async def test_shell_ends_with_the_rights(site: Site) -> None:
    async with site.terminal() as screen:
        await screen.ready()
        await run_in_thread(Membership.objects.filter(user=site.work.owner).delete)
        assert (await screen.until_closed())["code"] == "revoked"
        assert screen.code == 4403
    await wait_until_async(lambda: all(task.done() for task in site.node.tasks))
    assert (await recorded(2))[-1][1]["closed_as"] == "revoked"


@HASTY
async def test_shell_ends_with_the_token(site: Site) -> None:
    async with site.terminal() as screen:
        await screen.ready()
        await run_in_thread(ApiToken.objects.all().delete)
        assert (await screen.until_closed())["code"] == "revoked"


async def test_shell_ends_with_the_container(site: Site) -> None:
    async with site.terminal() as screen:
        await screen.ready()
        await site.node.runtime.stop(site.work.key, ExitCause.STOPPED, 0)
        await screen.until_closed()


@HASTY
async def test_shell_ends_with_the_attempt(site: Site) -> None:
    async with site.terminal() as screen:
        await screen.ready()
        held = Allocation.objects.filter(pk=site.work.held.pk)
        await run_in_thread(held.update, phase="stopping")
        assert (await screen.until_closed())["code"] == "container_gone"


async def test_strangers_and_colleagues_stay_outside(site: Site) -> None:
    def tokens() -> list[str]:
        colleague = a_member(site.work.group, "group_admin")
        return [str(a_token(colleague)), str(a_token(a_member(a_group())))]

    colleague, stranger = await run_in_thread(tokens)
    for token, code in ((colleague, "denied"), (stranger, "not_found"), ("x", "not_authenticated")):
        async with site.terminal(token=token) as screen:
            assert (await screen.until_closed())["code"] == code
    assert site.node.told == []
    assert await run_in_thread(audited) == []


async def test_cookie_of_another_page_opens_nothing(site: Site) -> None:
    url = f"{site.url}/api/v1/jobs/{site.work.row.pk}/terminal"
    for origin in ("http://evil.example", ""):
        headers = {"Origin": origin, "Cookie": "berth-session=stolen"}
        with pytest.raises(WSServerHandshakeError) as refused:
            await site.client.ws_connect(url, headers=headers)
        assert refused.value.status == 403


async def test_what_cannot_be_opened_says_why(site: Site) -> None:
    site.node.is_connected = False
    async with site.terminal() as screen:
        assert (await screen.until_closed())["code"] == "node_offline"
    async with site.terminal(rank=1) as screen:
        assert (await screen.until_closed())["code"] == "not_running"
    site.node.is_connected = True
    site.node.live.clear()
    async with site.terminal() as screen:
        assert (await screen.until_closed())["code"] == "stream_container_gone"
    site.node.live.add(site.work.key)


async def test_places_are_counted(site: Site) -> None:
    site.sessions.limiter.limit = 1
    async with site.terminal() as screen:
        await screen.ready()
        async with site.terminal() as second:
            assert await second.until_closed() == {
                "type": "closed",
                "code": "too_many_visits",
                "params": {"limit": 1},
            }


async def test_stream_is_only_for_the_node_that_was_asked(site: Site) -> None:
    headers = {"Authorization": "Bearer key-of-a-node"}
    for key, status in ((headers, 404), ({}, 401)):
        with pytest.raises(WSServerHandshakeError) as refused:
            await site.client.ws_connect(f"{site.url}/node/v1/streams/{'0' * 32}", headers=key)
        assert refused.value.status == status


async def test_nonsense_ends_the_connection(site: Site) -> None:
    async with site.terminal() as screen:
        await screen.ready()
        await screen.socket.send_str('{"type": "resize", "columns": 0, "rows": 1}')
        await screen.until(lambda: screen.code is not None)
        assert screen.code == 1003
