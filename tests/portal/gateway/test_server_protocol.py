"""Connections that send no proper request's head."""

import asyncio

import pytest

from portal.common.asgi import Receive, Scope, Send, send_response
from portal.gateway.server_protocol import HEAD_MAX, GuardedHttpProtocol
from tests.serving import free_socket, port_of, serving
from tests.waiting import PATIENCE_S


async def ok(scope: Scope, receive: Receive, send: Send) -> None:
    await send_response(scope, send, 200, [])


class HastyProtocol(GuardedHttpProtocol):
    """Waits for a request's head only for moments."""

    head_within_s = 0.2


async def talk(*pieces: bytes, protocol: type[GuardedHttpProtocol] = GuardedHttpProtocol) -> bytes:
    """Send the pieces over one connection and return all that comes back until it is closed."""
    listener = free_socket()
    async with serving(ok, listener, http_protocol=protocol):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0.02)
        async with asyncio.timeout(PATIENCE_S):
            answered = await reader.read()
        writer.close()
    return answered


async def test_requests_of_usual_size_pass_one_after_the_other() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"y" * 8000 + b"\r\n\r\n"
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answered = await talk(request, request[:100], request[100:], last)
    assert answered.count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize("line", [b"X-Long: ", b"A: b\r\n" * 10])
async def test_an_endless_head_is_cut_off(line: bytes) -> None:
    pieces = [line + b"y" * 4096 for _ in range(HEAD_MAX // 4096)]
    answered = await talk(b"GET / HTTP/1.1\r\nHost: x\r\n", *pieces)
    assert answered.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("begun", [b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
async def test_a_head_that_never_ends_is_timed_out(begun: bytes) -> None:
    assert (await talk(begun, protocol=HastyProtocol)).startswith(b"HTTP/1.1 400")


async def test_a_connection_without_a_request_ends_without_an_answer() -> None:
    assert await talk(protocol=HastyProtocol) == b""
