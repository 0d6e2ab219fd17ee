"""What the ways into a container promise, asked of each runtime."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from nodeagent.access.session import AccessError, Session, Source, Window
from nodeagent.core.state import Cause, Finished, Key
from tests.contract.conftest import Node
from tests.contract.test_runtime import silent
from tests.fakes import doors, work
from tests.fakes.work import an_order
from tests.serving import free_socket, port_of, silent_port
from tests.waiting import PATIENCE_S, eventually

KEY = Key("job.0", 1)


@pytest.fixture
async def inside(node: Node) -> AsyncIterator[Node]:
    """A node with one living container."""
    await node.runtime.start(an_order(work.SLEEPS), silent)
    yield node
    await node.runtime.stop(KEY, Cause.STOPPED, 0)
    async with asyncio.timeout(PATIENCE_S):
        await node.runtime.ended(KEY)


async def heard(session: Session, until: bytes | None = None) -> dict[Source, bytes]:
    """Read to the end, or until the output holds `until`."""
    parts = {Source.OUTPUT: b"", Source.DIAGNOSTICS: b""}
    async with asyncio.timeout(PATIENCE_S):
        while (part := await session.read()) is not None:
            parts[part[0]] += part[1]
            if until is not None and until in parts[Source.OUTPUT]:
                break
    return parts


async def served_port(node: Node) -> int:
    """Return what `work.SERVES` says, once it does."""
    spoken = b""
    while not spoken.endswith(b"\n"):
        await asyncio.sleep(0.02)
        spoken = await node.runtime.read_log(KEY, 0, 20)
    return int(spoken)


async def test_command_speaks_on_both_ends_and_has_an_exit_code(inside: Node) -> None:
    session = await inside.doors.shell(KEY, doors.SPEAKS_TWICE, None)
    parts = await heard(session)
    assert parts == {Source.OUTPUT: b"out\n", Source.DIAGNOSTICS: b"err\n"}
    assert await session.ended() == 3
    await session.close()


async def test_bytes_pass_unchanged_both_ways_and_their_end_is_told(inside: Node) -> None:
    data = bytes(range(256)) * 2048
    session = await inside.doors.shell(KEY, doors.REPEATS, None)

    async def send() -> None:
        for begin in range(0, len(data), 65536):
            await session.write(data[begin : begin + 65536])
        await session.finish()

    sent = asyncio.create_task(send())
    parts = await heard(session)
    await sent
    assert parts[Source.OUTPUT] == data
    assert await session.ended() == 0
    await session.close()


async def test_interactive_shell_has_a_terminal(inside: Node) -> None:
    session = await inside.doors.shell(KEY, "", Window(80, 24))
    await session.write(b"echo $((6*7))\n")
    await heard(session, until=b"42")
    await session.write(b"exit 5\n")
    await heard(session)
    assert await session.ended() == 5
    await session.close()


async def test_window_has_the_size_that_it_was_given(inside: Node) -> None:
    session = await inside.doors.shell(KEY, doors.SHOWS_SIZE, Window(132, 43))
    first = await heard(session, until=b"\n")
    assert b"43 132" in first[Source.OUTPUT]
    await session.resize(Window(100, 50))
    await session.write(b"\n")
    assert b"50 100" in (await heard(session))[Source.OUTPUT]
    await session.close()


async def test_signal_ends_the_command(inside: Node) -> None:
    session = await inside.doors.shell(KEY, doors.WAITS, None)
    await heard(session, until=b"begun")
    await session.signal("TERM")
    await heard(session)
    assert await session.ended() == doors.KILLED
    await session.close()


async def test_close_leaves_nothing_running(inside: Node) -> None:
    session = await inside.doors.shell(KEY, doors.WAITS, Window(80, 24))
    await heard(session, until=b"begun")
    await session.close()
    await eventually(lambda: not inside.visitors())


async def test_visit_ends_with_its_container(node: Node) -> None:
    await node.runtime.start(an_order(work.SLEEPS), silent)
    session = await node.doors.shell(KEY, doors.WAITS, None)
    await heard(session, until=b"begun")
    await node.runtime.stop(KEY, Cause.STOPPED, 0)
    async with asyncio.timeout(PATIENCE_S):
        assert isinstance(await node.runtime.ended(KEY), Finished)
    if node.kind != "fake":
        await heard(session)
    await session.close()


async def test_port_inside_is_reached_and_others_are_not(node: Node) -> None:
    await node.runtime.start(an_order(work.SERVES), silent)
    async with asyncio.timeout(PATIENCE_S):
        session = await node.doors.port(KEY, await served_port(node))
    await session.write(b"ping")
    assert (await heard(session, until=b"ping"))[Source.OUTPUT] == b"ping"
    await session.close()
    with silent_port() as closed, pytest.raises(AccessError) as caught:
        await node.doors.port(KEY, closed)
    assert caught.value.code == "nothing_listens"
    await node.runtime.stop(KEY, Cause.STOPPED, 0)
    await node.runtime.ended(KEY)


async def test_port_of_somebody_else_is_not_reached(inside: Node) -> None:
    if inside.kind != "process":
        return
    with free_socket() as foreign, pytest.raises(AccessError) as caught:
        await inside.doors.port(KEY, port_of(foreign))
    assert caught.value.code == "nothing_listens"


async def test_container_that_is_gone_cannot_be_entered(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), silent)
    await node.runtime.ended(KEY)
    for visit in (
        node.doors.shell(KEY, "", Window(80, 24)),
        node.doors.shell(Key("x.0", 1), "", None),
    ):
        with pytest.raises(AccessError) as caught:
            await visit
        assert caught.value.code == "container_gone"
