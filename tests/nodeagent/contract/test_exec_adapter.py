"""What the ways into a container promise, asked of each runtime."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from nodeagent.access.session import AccessError, AccessSession, OutputChannel, TerminalSize
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.core.state import ContainerKey, Finished
from tests.fakes import exec_adapter as commands
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.contract.conftest import Node
from tests.serving import free_socket, port_of, silent_port
from tests.waiting import PATIENCE_S, wait_until_async
from wire.words import ExitCause, Probe

KEY = ContainerKey("job.0", 1)


@pytest.fixture
async def inside(node: Node) -> AsyncIterator[Node]:
    """A node with one living container."""
    await node.runtime.start(an_order(work.SLEEPS), ignore_progress)
    yield node
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    async with asyncio.timeout(PATIENCE_S):
        await node.runtime.wait_for_end(KEY)


async def heard(session: AccessSession, until: bytes | None = None) -> dict[OutputChannel, bytes]:
    """Read to the end, or until the output holds `until`."""
    parts = {OutputChannel.OUTPUT: b"", OutputChannel.DIAGNOSTICS: b""}
    async with asyncio.timeout(PATIENCE_S):
        while (part := await session.read()) is not None:
            parts[part[0]] += part[1]
            if until is not None and until in parts[OutputChannel.OUTPUT]:
                break
    return parts


async def served_port(node: Node) -> int:
    """Return the port that `work.SERVES` prints, as soon as it does."""

    async def line() -> bytes:
        text = await node.runtime.read_log(KEY, 0, 20)
        return text if text.endswith(b"\n") else b""

    return int(await wait_until_async(line))


async def test_command_speaks_on_both_ends_and_has_an_exit_code(inside: Node) -> None:
    session = await inside.exec_adapter.open_shell(KEY, commands.SPEAKS_TWICE, None)
    parts = await heard(session)
    assert parts == {OutputChannel.OUTPUT: b"out\n", OutputChannel.DIAGNOSTICS: b"err\n"}
    assert await session.wait_for_exit() == 3
    await session.close()


@pytest.mark.parametrize(
    "node", ["process", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)
async def test_shell_has_the_variables_of_the_work(inside: Node) -> None:
    session = await inside.exec_adapter.open_shell(KEY, 'echo "$PERL_BADLANG"', None)
    assert (await heard(session))[OutputChannel.OUTPUT] == b"0\n"
    await session.close()


async def test_bytes_pass_unchanged_both_ways_and_their_end_is_told(inside: Node) -> None:
    data = bytes(range(256)) * 2048
    session = await inside.exec_adapter.open_shell(KEY, commands.REPEATS, None)

    async def send() -> None:
        for begin in range(0, len(data), 65536):
            await session.write(data[begin : begin + 65536])
        await session.close_input()

    sent = asyncio.create_task(send())
    parts = await heard(session)
    await sent
    assert parts[OutputChannel.OUTPUT] == data
    assert await session.wait_for_exit() == 0
    await session.close()


async def test_interactive_shell_has_a_terminal(inside: Node) -> None:
    session = await inside.exec_adapter.open_shell(KEY, "", TerminalSize(80, 24))
    await session.write(b"echo $((6*7))\n")
    await heard(session, until=b"42")
    await session.write(b"exit 5\n")
    await heard(session)
    assert await session.wait_for_exit() == 5
    await session.close()


async def test_window_has_the_size_that_it_was_given(inside: Node) -> None:
    session = await inside.exec_adapter.open_shell(KEY, commands.SHOWS_SIZE, TerminalSize(132, 43))
    first = await heard(session, until=b"\n")
    assert b"43 132" in first[OutputChannel.OUTPUT]
    await session.resize(TerminalSize(100, 50))
    await session.write(b"\n")
    assert b"50 100" in (await heard(session))[OutputChannel.OUTPUT]
    await session.close()


async def test_signal_ends_the_command(inside: Node) -> None:
    session = await inside.exec_adapter.open_shell(KEY, commands.WAITS, None)
    await heard(session, until=b"begun")
    await session.send_signal("TERM")
    await heard(session)
    assert await session.wait_for_exit() == commands.KILLED
    await session.close()


async def test_close_leaves_nothing_running(inside: Node) -> None:
    session = await inside.exec_adapter.open_shell(KEY, commands.WAITS, TerminalSize(80, 24))
    await heard(session, until=b"begun")
    await session.close()
    await wait_until_async(lambda: not inside.count_sessions())


async def test_session_ends_with_its_container(node: Node) -> None:
    await node.runtime.start(an_order(work.SLEEPS), ignore_progress)
    session = await node.exec_adapter.open_shell(KEY, commands.WAITS, None)
    await heard(session, until=b"begun")
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    async with asyncio.timeout(PATIENCE_S):
        assert isinstance(await node.runtime.wait_for_end(KEY), Finished)
    if node.kind != "fake":
        await heard(session)
    await session.close()


async def test_port_inside_is_reached_and_others_are_not(node: Node) -> None:
    await node.runtime.start(an_order(work.SERVES), ignore_progress)
    async with asyncio.timeout(PATIENCE_S):
        session = await node.exec_adapter.open_port(KEY, await served_port(node))
    await session.write(b"ping")
    assert (await heard(session, until=b"ping"))[OutputChannel.OUTPUT] == b"ping"
    await session.close()
    with silent_port() as closed, pytest.raises(AccessError) as caught:
        await node.exec_adapter.open_port(KEY, closed)
    assert caught.value.code == "nothing_listens"
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    await node.runtime.wait_for_end(KEY)


async def test_work_is_asked_at_a_port_inside_whether_it_is_ready(node: Node) -> None:
    running = await node.runtime.start(an_order(work.ANSWERS), ignore_progress)
    port, check = await served_port(node), ReadinessCheck(node.exec_adapter)
    async with asyncio.timeout(PATIENCE_S):
        await check.wait_until_ready(running, Probe("/ready", port))
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    await node.runtime.wait_for_end(KEY)


async def test_port_of_somebody_else_is_not_reached(inside: Node) -> None:
    if inside.kind != "process":
        return
    with free_socket() as foreign, pytest.raises(AccessError) as caught:
        await inside.exec_adapter.open_port(KEY, port_of(foreign))
    assert caught.value.code == "nothing_listens"


async def test_container_that_is_gone_cannot_be_entered(node: Node) -> None:
    await node.runtime.start(an_order(work.SPEAKS_AND_EXITS_3), ignore_progress)
    await node.runtime.wait_for_end(KEY)
    for visit in (
        node.exec_adapter.open_shell(KEY, "", TerminalSize(80, 24)),
        node.exec_adapter.open_shell(ContainerKey("x.0", 1), "", None),
    ):
        with pytest.raises(AccessError) as caught:
            await visit
        assert caught.value.code == "container_gone"
