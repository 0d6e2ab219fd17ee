"""The gateway as processes: it ends and is replaced under load, and no request fails."""

import asyncio
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from aiohttp import ClientError, ClientSession, TCPConnector

from portal.gateway.client import create_http_client
from tests.inference_gateway import SECRET, read_used, write_routes
from tests.portal.inference.model_server import model_server
from tests.portal.inference.site import CHAT, content_of, events_of
from tests.serving import free_socket, port_of, url_of
from tests.waiting import PATIENCE_S, wait_until_async


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Provide a socket that listens for as long as the test runs, whoever accepts."""
    with free_socket() as held:
        yield held


async def _chat(client: ClientSession, url: str, *, stream: bool, tokens: int = 3) -> int:
    """Ask once and read all of it; return how many tokens came."""
    asked = {"messages": ["hello"], "stream": stream, "tokens": tokens}
    headers = {"Authorization": f"Bearer {SECRET}"}
    async with client.post(f"{url}/llm/small{CHAT}", json=asked, headers=headers) as answer:
        body = await answer.text()
        assert answer.status == 200, body
        if not stream:
            return int((await answer.json())["usage"]["completion_tokens"])
        events = events_of(body)
        assert events[-1] == "[DONE]"
        return len(content_of(events))


async def _ask_until(over: asyncio.Event, url: str, done: list[int], *, stream: bool) -> None:
    """Ask without a pause over one connection after the other; a failure fails the test."""
    async with ClientSession(connector=TCPConnector(limit=1)) as client:
        while not over.is_set():
            assert await _chat(client, url, stream=stream) == 3
            done[0] += 1


async def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0


async def test_processes_are_replaced_under_load_and_every_request_is_answered_and_counted(
    tmp_path: Path, listener: socket.socket
) -> None:
    done, over = [0], asyncio.Event()

    url = url_of(listener)

    async def goes_on() -> None:
        enough = done[0] + 100
        await wait_until_async(lambda: done[0] >= enough)

    async with model_server() as model, create_http_client() as client:
        write_routes(tmp_path, model.port)
        with ExitStack() as stack:
            process = stack.enter_context(_gateway(tmp_path, listener))
            await wait_until_async(lambda: _answers(client, url))
            async with asyncio.TaskGroup() as group:
                asking = [_ask_until(over, url, done, stream=n % 2 == 0) for n in range(12)]
                _ = [group.create_task(each) for each in asking]
                await goes_on()
                for _ in range(2):
                    following = stack.enter_context(_gateway(tmp_path, listener))
                    await _end(process)
                    await goes_on()
                    process = following
                over.set()
            await _end(process)
    used = read_used(tmp_path)
    assert (used["requests"], used["failed"], used["cut"]) == (done[0], 0, 0)
    assert model.served == done[0]
    assert used["completion_tokens"] == model.completion_tokens


async def test_a_stream_outlives_the_signal_beside_the_next_process_on_the_same_port(
    tmp_path: Path,
) -> None:
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        port = str(port_of(held))
        command = [sys.executable, "-m", "tests.inference_gateway", str(tmp_path), "--port", port]
        url = f"http://127.0.0.1:{port}"
        async with model_server() as model, create_http_client() as client:
            write_routes(tmp_path, model.port)
            with _process(command) as first:
                await wait_until_async(lambda: _answers(client, url))
                model.gate.clear()
                stream = asyncio.create_task(_chat(client, url, stream=True, tokens=4))
                await wait_until_async(lambda: model.open == 1)
                first.send_signal(signal.SIGTERM)
                await wait_until_async(lambda: _is_away(client, url))
                with _process(command):
                    await wait_until_async(lambda: _answers(client, url))
                    model.gate.set()
                    assert await stream == 4
                    assert await asyncio.to_thread(first.wait, PATIENCE_S) == 0
                    assert await _chat(client, url, stream=False) == 3


async def test_beyond_the_bound_a_stream_is_told_why_it_ends(
    tmp_path: Path, listener: socket.socket
) -> None:
    url = url_of(listener)
    async with model_server() as model, create_http_client() as client:
        write_routes(tmp_path, model.port)
        with _gateway(tmp_path, listener, "--drain-s", "0.1") as process:
            await wait_until_async(lambda: _answers(client, url))
            model.gate.clear()
            asked = {"messages": ["hello"], "stream": True}
            headers = {"Authorization": f"Bearer {SECRET}"}
            async with client.post(f"{url}/llm/small{CHAT}", json=asked, headers=headers) as answer:
                await answer.content.readuntil(b"0 ")
                process.send_signal(signal.SIGTERM)
                assert events_of(await answer.text())[-1]["error"]["code"] == "replica_drained"
            assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0
    assert read_used(tmp_path)["cut"] == 1


@contextmanager
def _gateway(
    folder: Path, listener: socket.socket, *more: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that is handed the listening socket, as systemd does it."""
    words = shlex.join([sys.executable, "-m", "tests.inference_gateway", str(folder), *more])
    run = f"LISTEN_PID=$$ LISTEN_FDS=1 exec {words} 3<&{listener.fileno()}"
    with _process(["bash", "-c", run], listener.fileno()) as process:
        yield process


@contextmanager
def _process(command: list[str], *handed: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, pass_fds=handed)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def _answers(client: ClientSession, url: str) -> bool:
    try:
        async with client.get(f"{url}/healthz") as answer:
            return answer.status == 200
    except (ClientError, OSError):
        return False


async def _is_away(client: ClientSession, url: str) -> bool:
    return not await _answers(client, url)
