"""The way from the portal's origin to the web process."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import pytest
from aiohttp import ClientSession

from portal.common.origins import Origin
from portal.gateway.client import create_http_client
from portal.gateway.web_proxy import BODY_MAX, WebProxy
from tests.portal.gateway.upstreams import FakeUpstream, fake_upstream
from tests.serving import free_socket, serving, silent_port, url_of
from tests.waiting import PATIENCE_S, wait_until_async


class Front:
    """A forward in front of a fake web process, and a browser's side of it."""

    def __init__(self, url: str, upstream: FakeUpstream, client: ClientSession) -> None:
        self.url = url
        self.upstream = upstream
        self.client = client

    async def echo(self, target: str = "/", method: str = "GET", **options: Any) -> Any:
        async with self.client.request(method, f"{self.url}{target}", **options) as response:
            return await response.json()


@pytest.fixture
async def front() -> AsyncIterator[Front]:
    listener = free_socket()
    async with fake_upstream() as upstream, create_http_client() as client:
        web = f"http://127.0.0.1:{upstream.port}"
        forward = WebProxy(client, Origin.parse("https://portal.example.org"), web)
        async with serving(forward, listener):
            yield Front(url_of(listener), upstream, client)


def values(echo: Any, name: str) -> list[str]:
    return [value for key, value in echo["headers"] if key.lower() == name]


async def raw(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await writer.drain()
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return answer


async def test_target_and_body_arrive_as_they_were_sent(front: Front) -> None:
    target = "/a/%2e%2e/b%2Fc//d?x=%2F&y=%20&z"
    port = int(front.url.rpartition(":")[2])
    request = (
        f"PUT {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody"
    )
    answer = await raw(port, request.encode())
    assert f'"target": "{target}"'.encode() in answer
    assert b'"method": "PUT"' in answer
    assert b'"body": "body"' in answer


async def test_forwarding_headers_are_ours_alone(front: Front) -> None:
    forged = {
        "X-Forwarded-For": "6.6.6.6",
        "X-Forwarded-Proto": "gopher",
        "X-Forwarded-Host": "evil.example",
        "Forwarded": "for=6.6.6.6",
        "X-Real-IP": "6.6.6.6",
        "X_Forwarded_For": "6.6.6.6",
        "Host": "evil.example",
        "X-Own": "kept",
    }
    echo = await front.echo(headers=forged)
    assert values(echo, "x-forwarded-for") == ["127.0.0.1"]
    assert values(echo, "x-forwarded-proto") == ["https"]
    assert values(echo, "x-forwarded-host") == ["portal.example.org"]
    assert values(echo, "host") == ["portal.example.org"]
    assert values(echo, "x-own") == ["kept"]
    assert not [name for name, value in echo["headers"] if "6.6.6.6" in value]


async def test_hop_by_hop_headers_stay_on_their_hop(front: Front) -> None:
    sent = {"Connection": "X-Secret", "X-Secret": "1", "TE": "trailers", "Proxy-Authorization": "x"}
    echo = await front.echo(headers=sent)
    names = {name.lower() for name, _ in echo["headers"]}
    assert not names & {"x-secret", "te", "proxy-authorization"}


async def test_answer_is_streamed_not_collected(front: Front) -> None:
    async with front.client.get(f"{front.url}/slow") as response:
        assert await response.content.readany() == b"first"
        front.upstream.release.set()
        assert await response.content.read() == b"second"


async def test_a_large_answer_comes_whole(front: Front) -> None:
    async with front.client.get(f"{front.url}/big?mib=48") as response:
        size = sum([len(chunk) async for chunk in response.content.iter_any()])
    assert size == 48 * 1024 * 1024


async def test_upstream_is_left_when_the_client_leaves(front: Front) -> None:
    response = await front.client.get(f"{front.url}/slow")
    response.close()
    await wait_until_async(front.upstream.has_lost_client.is_set)


@pytest.mark.parametrize("size", [0, 1, BODY_MAX])
async def test_a_body_up_to_the_limit_passes(front: Front, size: int) -> None:
    echo = await front.echo("/upload", "POST", data=BytesIO(b"x" * size))
    assert echo == {"size": size}


@pytest.mark.parametrize("is_chunked", [False, True])
async def test_a_body_beyond_the_limit_is_refused(front: Front, is_chunked: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b"x" * (BODY_MAX // 16)

    data: Any = pieces() if is_chunked else BytesIO(b"x" * (BODY_MAX + 1))
    problem = await front.echo("/upload", "POST", data=data)
    assert (problem["status"], problem["code"]) == (413, "body_too_large")


async def test_a_silent_web_process_is_a_problem_in_the_readers_language(front: Front) -> None:
    listener = free_socket()
    with silent_port() as web:
        down = WebProxy(front.client, Origin.parse("http://x"), f"http://127.0.0.1:{web}")
        async with serving(down, listener):
            headers = {"Accept-Language": "zh-CN,en;q=0.5"}
            async with front.client.get(
                f"{url_of(listener)}/api/v1/me", headers=headers
            ) as response:
                problem = await response.json(content_type="application/problem+json")
    assert (response.status, problem["code"]) == (502, "web_unavailable")
    assert problem["instance"] == "/api/v1/me"
    assert "门户" in problem["detail"]


async def test_unknown_methods_are_refused(front: Front) -> None:
    assert (await front.echo("/", "TRACE"))["code"] == "method_not_allowed"


@pytest.mark.parametrize(
    "request_line",
    [b"OPTIONS * HTTP/1.1", b"CONNECT evil:80 HTTP/1.1", b"GET http://evil/x HTTP/1.1"],
)
async def test_strange_targets_never_choose_the_upstream(front: Front, request_line: bytes) -> None:
    port = int(front.url.rpartition(":")[2])
    answer = await raw(port, request_line + b"\r\nHost: x\r\nConnection: close\r\n\r\n")
    status = int(answer.split()[1])
    assert status in {200, 400, 404, 405}
    if status == 200:
        assert b'"target": "/x"' in answer or b'"target": "/*"' in answer
        assert b"evil" not in answer


async def test_two_lengths_are_refused(front: Front) -> None:
    port = int(front.url.rpartition(":")[2])
    smuggled = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    assert (await raw(port, smuggled)).startswith(b"HTTP/1.1 400")
