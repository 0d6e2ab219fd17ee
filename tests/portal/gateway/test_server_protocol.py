"""Connections that send no proper request's head, too much, too slowly, or too many at once."""

import asyncio
import json
import logging
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from ipaddress import ip_network
from typing import Any

import pytest
from aiohttp import ClientSession, ServerDisconnectedError, WSServerHandshakeError

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import Receive, Scope, Send, get_header, send_response
from portal.common.rest.problems import Problem
from portal.gateway.address_limit import AddressLimit
from portal.gateway.sealed_answers import SealedAnswers
from portal.gateway.server_protocol import (
    DISCARDED_MAX,
    HEAD_MAX,
    HEADERS_MAX,
    SHARED_FRAME_MAX,
    TARGET_MAX,
    ServerLimits,
)
from tests.serving import free_socket, port_of, serving, url_of
from tests.waiting import PATIENCE_S, wait_until_async

HASTY = ServerLimits(head_within_s=0.2, handshake_within_s=0.2, discard_within_s=0.5)
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


async def ok(scope: Scope, receive: Receive, send: Send) -> None:
    await send_response(scope, send, 200, [])


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Accept a socket, tell the length of its cookies, and read it to its end."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": str(len(get_header(scope, b"cookie")))})
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def silent(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer nothing until the client has left."""
    while (await receive())["type"] not in {"websocket.disconnect", "http.disconnect"}:
        pass


async def too_large(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a body at its first bytes."""
    await receive()
    await send_problem(scope, send, Problem(413, "body_too_large", {}))


async def talk(*pieces: bytes, app: Any = ok, limits: ServerLimits | None = None) -> bytes:
    """Send the pieces over one connection and return all that comes back until it is closed."""
    listener = free_socket()
    async with serving(app, listener, limits=limits):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0.02)
        async with asyncio.timeout(PATIENCE_S):
            answered = await reader.read()
        writer.close()
    return answered


def refusal(answered: bytes) -> tuple[int, str]:
    """Return status and code of an answer that must be a problem document."""
    head, _, body = answered.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head, answered
    assert b"connection: close" in head
    return int(head.split()[1]), str(json.loads(body)["code"])


async def test_requests_of_usual_size_pass_one_after_the_other() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"y" * 8000 + b"\r\n\r\n"
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answered = await talk(request, request[:100], request[100:], last)
    assert answered.count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize("line", [b"X-Long: ", b"A: b\r\n" * 10])
async def test_an_endless_head_is_cut_off(line: bytes) -> None:
    pieces = [line + b"y" * 4096 for _ in range(HEAD_MAX // 4096)]
    answered = await talk(b"GET / HTTP/1.1\r\nHost: x\r\n", *pieces)
    assert refusal(answered) == (431, "head_too_large")


@pytest.mark.parametrize("begun", [b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
async def test_a_head_that_never_ends_is_timed_out(begun: bytes) -> None:
    assert refusal(await talk(begun, limits=HASTY)) == (408, "request_too_slow")


async def test_a_connection_without_a_request_ends_without_an_answer() -> None:
    assert await talk(limits=HASTY) == b""


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\nHost: x\r\n", UPGRADE])
@pytest.mark.parametrize(
    "more", [b"X-Long: " + b"y" * HEAD_MAX + b"\r\n", b"A: b\r\n" * (HEADERS_MAX + 1)]
)
async def test_a_head_beyond_the_limits_is_refused_before_any_upgrade(
    begin: bytes, more: bytes
) -> None:
    assert refusal(await talk(begin + more + b"\r\n")) == (431, "head_too_large")


async def test_a_long_address_is_refused() -> None:
    head = b"GET /" + b"y" * TARGET_MAX + b" HTTP/1.1\r\nHost: x\r\n\r\n"
    assert refusal(await talk(head)) == (414, "target_too_long")


async def test_what_is_not_http_is_refused_with_a_problem() -> None:
    assert refusal(await talk(b"\x16\x03\x01 hello\r\n\r\n")) == (400, "bad_request")


async def test_reader_of_a_head_too_large_gets_a_page_that_takes_cookies_away() -> None:
    head = b"GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html,*/*\r\nCookie: a="
    answered = await talk(head + b"y" * 700_000 + b"\r\n\r\n")
    fields, _, page = answered.partition(b"\r\n\r\n")
    script = re.search(rb"<script>(.*?)</script>", page, re.DOTALL)
    assert script is not None
    allowed = b64encode(sha256(script[1]).digest())
    assert b"script-src 'sha256-" + allowed + b"'" in fields
    assert (fields.split()[1], b"document.cookie" in script[1]) == (b"431", True)


async def test_what_a_page_asks_for_with_a_head_too_large_takes_cookies_away() -> None:
    head = b"GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nCookie: a="
    answered = await talk(head + b"y" * 700_000 + b"\r\n\r\n")
    assert refusal(answered) == (431, "head_too_large")
    assert b'clear-site-data: "cookies"' in answered
    assert b"clear-site-data" not in await talk(b"GET /" + b"y" * TARGET_MAX + b" HTTP/1.1\r\n\r\n")


async def test_refused_head_without_an_end_is_read_no_longer_than_it_takes_to_read_the_answer() -> (
    None
):
    listener = free_socket()
    async with serving(ok, listener, limits=HASTY):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
        writer.write(b"GET / HTTP/1.1\r\nX: " + b"y" * 2 * HEAD_MAX)
        async with asyncio.timeout(PATIENCE_S):
            assert refusal(await reader.read()) == (431, "head_too_large")
            with pytest.raises(ConnectionError):
                await write_for_ever(writer)
        writer.close()


async def write_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"y" * 4096)
        await writer.drain()


@pytest.mark.parametrize("begins", [True, False])
async def test_fault_of_the_gateway_is_an_answer_with_a_policy(begins: bool) -> None:
    async def faulty(scope: Scope, receive: Receive, send: Send) -> None:
        if begins:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise LookupError

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "headers": [], "raw_path": b"/"}
    with pytest.raises(LookupError):
        await SealedAnswers(faulty)(scope, silent_receive, send)
    policy = dict(sent[0]["headers"])[b"content-security-policy"]
    assert (sent[0]["status"], policy.startswith(b"sandbox;")) == (200 if begins else 500, True)


async def silent_receive() -> Any:
    return {"type": "http.disconnect"}


async def test_refusals_of_the_head_are_in_the_readers_language() -> None:
    head = b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Language: zh-CN\r\n"
    answered = await talk(head + b"A: b\r\n" * (HEADERS_MAX + 1) + b"\r\n")
    assert "请求头" in json.loads(answered.partition(b"\r\n\r\n")[2])["detail"]


@pytest.mark.parametrize("headers", [{"Cookie": "c=" + "x" * 40_000}])
async def test_a_socket_may_bring_cookies_as_large_as_any_request(headers: dict[str, str]) -> None:
    listener = free_socket()
    async with serving(echo, listener), ClientSession() as client:
        more = {f"X-{number}": "y" for number in range(200)}
        async with client.ws_connect(url_of(listener), headers={**headers, **more}) as socket:
            assert await socket.receive_str(timeout=PATIENCE_S) == "40002"


async def test_texts_arrive_whole_and_in_order_whatever_their_length() -> None:
    texts = [
        "",
        "short",
        "日本語 " * 40,
        "x" * SHARED_FRAME_MAX,
        "y" * (2 * SHARED_FRAME_MAX),
        "end",
    ]

    async def speak(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        for text in texts:
            await send({"type": "websocket.send", "text": text})
        await send({"type": "websocket.close"})

    listener = free_socket()
    async with (
        serving(speak, listener),
        ClientSession() as client,
        client.ws_connect(url_of(listener)) as socket,
    ):
        assert [message.data async for message in socket] == texts


async def test_a_handshake_header_that_is_too_long_is_refused() -> None:
    long = b"Sec-WebSocket-Protocol: " + b"y" * 9000 + b"\r\n\r\n"
    assert refusal(await talk(UPGRADE + long, app=echo)) == (431, "head_too_large")


async def test_a_socket_that_nobody_answers_is_closed() -> None:
    assert await talk(UPGRADE + b"\r\n", app=silent, limits=HASTY) == b""


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x81\x82\x00\x00\x00\x00\xff\xfe", 1007),  # text that is not UTF-8
        (b"\xff\xff\xff\xff", 1002),  # reserved bits
        (b"\x01\x02ab", 1002),  # not masked
    ],
)
async def test_broken_frames_end_with_their_code_and_no_traceback(
    frame: bytes, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    garbage = b"\x00garbage" * 1000
    with caplog.at_level(logging.INFO):
        answered = await talk(UPGRADE + b"\r\n", frame, garbage, app=echo, limits=HASTY)
    _, _, frames = answered.partition(b"\r\n\r\n")
    assert b"\x88" in frames, frames
    assert code.to_bytes(2, "big") in frames
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("last", [b"", b"\x81", b"\x81\xfe\x10", b"\x01\x82\x00\x00\x00\x00ab"])
async def test_a_client_that_stops_in_the_middle_of_a_frame_gets_a_close_frame(last: bytes) -> None:
    listener = free_socket()
    async with serving(echo, listener):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
        writer.write(UPGRADE + b"\r\n")
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(last)
            writer.write_eof()
            frames = await reader.read()
        writer.close()
    assert frames.endswith(b"\x88\x02" + (1002).to_bytes(2, "big"))


async def test_frames_ahead_of_the_handshake_are_no_part_of_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A close frame would come before the answer that it belongs behind."""
    answered = await talk(UPGRADE + b"\r\n", b"\xff\xff\xff\xff", app=silent)
    assert refusal(answered) == (400, "bad_request")
    assert not [record for record in caplog.records if record.exc_info]


async def test_f10_addresses_of_sockets_stay_out_of_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listener = free_socket()
    with caplog.at_level(logging.INFO):
        async with (
            serving(echo, listener),
            ClientSession() as client,
            client.ws_connect(f"{url_of(listener)}/terminal?session=secret") as socket,
        ):
            await socket.receive_str(timeout=PATIENCE_S)
    assert "secret" not in caplog.text


async def test_an_endless_body_is_closed_after_its_refusal() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    listener = free_socket()
    async with serving(too_large, listener):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(listener))
        writer.write(head + chunk)
        async with asyncio.timeout(PATIENCE_S):
            assert (await reader.readline()).startswith(b"HTTP/1.1 413")
            sent = await _send_until_cut(writer, chunk)
    assert DISCARDED_MAX / 2 < sent < 64 * DISCARDED_MAX


async def _send_until_cut(writer: asyncio.StreamWriter, chunk: bytes) -> int:
    sent = 0
    try:
        while True:
            writer.write(chunk)
            await writer.drain()
            sent += len(chunk)
    except OSError:
        return sent


async def test_a_refused_body_that_pauses_is_closed_too() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx"
    assert b"413" in await talk(head, app=too_large, limits=HASTY)


async def test_a_refused_body_that_ends_leaves_the_connection_open() -> None:
    refused = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nx"
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answered = await talk(refused, b"xxx", last, app=too_large)
    assert answered.count(b"HTTP/1.1 413") == 2


LONG = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (2 * DISCARDED_MAX)
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("head", [LONG, CHUNKED])
async def test_an_answer_ahead_of_a_long_body_is_the_last_of_its_connection(head: bytes) -> None:
    """A pool would send its next request behind the body, into a connection that is closed."""
    answered = await talk(head, b"1\r\nx\r\n", app=too_large, limits=HASTY)
    assert refusal(answered) == (413, "body_too_large")


async def test_a_connection_ends_behind_the_body_that_was_refused() -> None:
    served: list[Scope] = []

    async def count(scope: Scope, receive: Receive, send: Send) -> None:
        served.append(scope)
        await too_large(scope, receive, send)

    after = b"0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n"
    answered = await talk(CHUNKED, b"1\r\nx\r\n", after, app=count)
    assert refusal(answered) == (413, "body_too_large")
    assert len(served) == 1


async def test_an_answer_after_its_body_leaves_the_connection_open() -> None:
    last = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answered = await talk(CHUNKED + b"1\r\nx\r\n0\r\n\r\n", last)
    assert answered.count(b"HTTP/1.1 200") == 2
    assert answered.count(b"connection: close") == 1


async def test_f2_connections_of_an_address_are_counted() -> None:
    limits = replace(ServerLimits(), addresses=ConnectionLimiter(2))
    listener = free_socket()
    async with serving(ok, listener, limits=limits), ClientSession() as client:
        held = [await asyncio.open_connection("127.0.0.1", port_of(listener)) for _ in range(2)]
        await wait_until_async(lambda: limits.addresses.in_use("127.0.0.1") == 2)
        with pytest.raises((ServerDisconnectedError, OSError)):
            await client.get(url_of(listener))
        for _, writer in held:
            writer.close()
        await wait_until_async(lambda: not limits.addresses.in_use("127.0.0.1"))
        async with client.get(url_of(listener)) as answer:
            assert answer.status == 200


async def test_a_socket_holds_its_place_until_its_end() -> None:
    limits = replace(ServerLimits(), addresses=ConnectionLimiter(2))
    listener = free_socket()
    async with serving(echo, listener, limits=limits), ClientSession() as client:
        async with client.ws_connect(url_of(listener)):
            assert limits.addresses.in_use("127.0.0.1") == 1
        await wait_until_async(lambda: not limits.addresses.in_use("127.0.0.1"))


async def test_connections_of_a_proxy_are_counted_for_its_clients() -> None:
    """A proxy's own address is not limited; the addresses that it names are."""
    proxies = (ip_network("127.0.0.0/8"),)
    limits = replace(ServerLimits(), addresses=ConnectionLimiter(1), proxies=proxies)
    listener = free_socket()
    app = AddressLimit(echo, ConnectionLimiter(1))
    async with (
        serving(app, listener, limits=limits, trusted_proxies="127.0.0.1"),
        ClientSession() as client,
    ):
        one, other = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in (1, 2))
        async with client.ws_connect(url_of(listener), headers=one):
            with pytest.raises(WSServerHandshakeError) as refused:
                await client.ws_connect(url_of(listener), headers=one)
            assert refused.value.status == 429
            async with client.ws_connect(url_of(listener), headers=other):
                pass
