"""A reverse proxy that nobody named is noticed; callers of their own addresses are not taken for one."""

import pytest
from aiohttp import ClientSession

from portal.common.asgi.types import Receive, Scope, Send
from portal.gateway.unnamed_proxy import LOOKED_AT, Callers, UnnamedProxyWatch
from tests.serving import free_socket, serving, url_of

PROXY = "10.0.0.7"


def warns(addresses: list[str], *, is_forwarded: bool = False) -> list[int]:
    """Return after which requests a warning is due."""
    callers = Callers()
    return [
        number
        for number, address in enumerate(addresses, start=1)
        if callers.note(address, is_forwarded=is_forwarded)
    ]


@pytest.mark.parametrize("address", [PROXY, "172.17.0.1", "fd00::1"])
def test_one_private_address_is_warned_of_once(address: str) -> None:
    assert warns([address] * 3 * LOOKED_AT) == [LOOKED_AT]


@pytest.mark.parametrize(
    "addresses",
    [
        [PROXY] * (LOOKED_AT - 1),
        [PROXY] * (LOOKED_AT - 1) + ["10.0.0.8"] + [PROXY] * LOOKED_AT,
        ["93.184.216.34"] * 2 * LOOKED_AT,
        ["127.0.0.1"] * 2 * LOOKED_AT,
        ["::1"] * 2 * LOOKED_AT,
        [""] * 2 * LOOKED_AT,
    ],
)
def test_others_are_not(addresses: list[str]) -> None:
    assert warns(addresses) == []


def test_a_proxy_on_this_machine_is_known_by_what_it_says() -> None:
    assert warns(["127.0.0.1"] * LOOKED_AT, is_forwarded=True) == [LOOKED_AT]


async def test_the_warning_names_the_address_and_the_setting(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    listener = free_socket()
    app = UnnamedProxyWatch(_ok, Callers(looked_at=2))
    async with serving(app, listener), ClientSession() as session:
        for path in ("/", "/node/v1/datasets", "/"):
            told = {"X-Forwarded-For": "203.0.113.9"}
            async with session.get(f"{url_of(listener)}{path}", headers=told) as answer:
                assert answer.status == 204
    said = capsys.readouterr().out + caplog.text
    assert said.count("proxy.not_named") == 1
    assert "127.0.0.1" in said
    assert "BERTH_TRUSTED_PROXIES" in said


async def _ok(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})
