"""What every back end keeps of ways into a container: commands, terminals and ports, in real processes."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from portal.common.errors import ConflictError
from portal.execution.streams import (
    CommandEnded,
    EndOfData,
    Shell,
    SignalSent,
    Stream,
    StreamOutput,
    StreamRequest,
    Streams,
    WindowSize,
)
from tests.portal.access.site import Site, Work, a_site, some_work
from tests.portal.execution.ports import PORTS, PortsUnderTest
from tests.waiting import PATIENCE_S

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("backend", PORTS, ids=lambda row: row.name),
]

ECHO = """
import asyncio

async def serve(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@pytest.fixture
def work() -> Work:
    return some_work()


@pytest.fixture
async def site(work: Work, tmp_path: Path) -> AsyncIterator[Site]:
    async with a_site(work, tmp_path, (sys.executable, "-c", ECHO)) as site:
        yield site


@pytest.fixture
def streams(site: Site, backend: PortsUnderTest) -> Streams:
    return backend.streams(site)


def asked(work: Work, what: Shell | int, *, later: int = 0) -> StreamRequest:
    return StreamRequest(work.held.wire_name, work.held.epoch + later, what)


async def told(stream: Stream) -> tuple[bytes, bytes, int | None]:
    """Return all that a command writes, what of it are diagnostics, and its exit code."""
    written: dict[bool, bytes] = {False: b"", True: b""}
    async with asyncio.timeout(PATIENCE_S):
        while not isinstance(message := await stream.receive(), CommandEnded):
            if isinstance(message, StreamOutput):
                written[message.is_diagnostics] += message.data
    return written[False], written[True], message.code


async def test_command_reads_input_and_ends_with_its_code(work: Work, streams: Streams) -> None:
    command = "read line; echo out $line; echo err >&2; exit 3"
    request = asked(work, Shell(command=command, has_tty=False))
    async with streams.open_stream(work.node.pk, request) as stream:
        await stream.write(b"of the portal\n")
        assert await told(stream) == (b"out of the portal\n", b"err\n", 3)


async def test_end_of_input_reaches_the_command(work: Work, streams: Streams) -> None:
    request = asked(work, Shell(command="wc -c", has_tty=False))
    async with streams.open_stream(work.node.pk, request) as stream:
        await stream.write(b"x" * 100_000)
        await stream.send(EndOfData())
        output, _, code = await told(stream)
    assert (output.strip(), code) == (b"100000", 0)


async def test_terminal_has_the_size_of_its_window(work: Work, streams: Streams) -> None:
    request = asked(work, Shell(columns=90, rows=30, command="stty size; read _; stty size"))
    async with streams.open_stream(work.node.pk, request) as stream:
        first = await stream.receive()
        assert isinstance(first, StreamOutput)
        assert first.data.split() == [b"30", b"90"]
        await stream.send(WindowSize(columns=120, rows=40))
        await stream.write(b"\n")
        output, _, code = await told(stream)
    assert (output.split()[-2:], code) == ([b"40", b"120"], 0)


async def test_signal_ends_the_command(work: Work, streams: Streams) -> None:
    request = asked(work, Shell(command="echo up; exec sleep 600", has_tty=False))
    async with streams.open_stream(work.node.pk, request) as stream:
        assert await stream.receive() == StreamOutput(b"up\n")
        await stream.send(SignalSent("TERM"))
        _, _, code = await told(stream)
    assert code == 128 + 15


async def test_port_is_one_of_the_container(site: Site, work: Work, streams: Streams) -> None:
    port = int(await site.said())
    async with streams.open_stream(work.node.pk, asked(work, port)) as stream:
        await stream.write(b"hello\n")
        output, _, _ = await told(stream)
    assert output == b"HELLO\n"


async def test_port_where_nothing_listens_is_refused(work: Work, streams: Streams) -> None:
    with pytest.raises(ConflictError) as refused:
        async with streams.open_stream(work.node.pk, asked(work, 9)):
            pass
    assert refused.value.code == "stream_nothing_listens"


async def test_another_attempt_is_not_reached(work: Work, streams: Streams) -> None:
    with pytest.raises(ConflictError) as refused:
        async with streams.open_stream(work.node.pk, asked(work, Shell(), later=1)):
            pass
    assert refused.value.code == "stream_container_gone"
