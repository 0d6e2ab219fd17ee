"""Browsers are told to use TLS only, where the portal has it."""

from pathlib import Path
from typing import Any

import pytest

from portal.common.asgi.types import Message, Receive, Scope, Send
from portal.common.origins import Origin
from portal.config.live_app import LiveSettings, build_front

HEADER = b"strict-transport-security"


async def notebook(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with a header of its own, as a notebook's server could."""
    headers = [(b"x-own", b"1"), (b"Strict-Transport-Security", b"max-age=0")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def answer_of(scheme: str, hsts_s: int) -> list[tuple[bytes, bytes]]:
    settings = LiveSettings(
        portal=Origin.parse(f"{scheme}://portal.example.org"),
        apps=Origin.parse(f"{scheme}://apps.example.org"),
        web_upstreams=("http://127.0.0.1:1",),
        live_url="",
        redis_url="",
        storage_dir=Path("/nowhere"),
        datasets_dir=None,
        session_cookie="s",
        threads=1,
        connections_per_address_max=16,
        hsts_s=hsts_s,
    )
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    scope: Scope = {"type": "http", "client": ("192.0.2.7", 1), "headers": []}
    await build_front(settings, notebook)(scope, receive, send)
    return list(sent[0]["headers"])


@pytest.mark.parametrize("seconds", [60, 31_536_000])
async def test_with_tls_every_answer_says_so_once(seconds: int) -> None:
    headers = await answer_of("https", seconds)
    shown = [value for name, value in headers if name.lower() == HEADER]
    assert shown == [b"max-age=%d" % seconds]
    assert (b"x-own", b"1") in headers


@pytest.mark.parametrize(("scheme", "seconds"), [("http", 60), ("https", 0)])
async def test_without_tls_or_where_it_is_switched_off_nothing_is_added(
    scheme: str, seconds: int
) -> None:
    headers = await answer_of(scheme, seconds)
    assert b"max-age=%d" % 60 not in [value for _, value in headers]
    assert len(headers) == 2
