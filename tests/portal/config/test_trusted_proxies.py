"""Whose word the front door takes on where a caller comes from."""

from collections.abc import Callable
from ipaddress import ip_network

import pytest
from aiohttp import ClientSession

from portal.common.asgi.types import Receive, Scope, Send
from portal.config.checks.proxies import check_proxy_is_named
from portal.config.env import normalize_networks
from tests.serving import free_socket, serving, url_of


async def _who(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with the caller's address as an application sees it."""
    body = str(scope["client"][0]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.mark.parametrize(
    ("trusted", "seen"),
    [("", "127.0.0.1"), ("127.0.0.0/8", "203.0.113.9"), ("192.0.2.0/24", "127.0.0.1")],
)
async def test_only_a_named_proxy_says_who_calls(trusted: str, seen: str) -> None:
    told = {"X-Forwarded-For": "6.6.6.6, 203.0.113.9"}
    listener = free_socket()
    async with (
        serving(_who, listener, trusted_proxies=trusted),
        ClientSession() as session,
        session.get(url_of(listener), headers=told) as answer,
    ):
        assert await answer.text() == seen


def test_networks_are_told_with_commas() -> None:
    assert normalize_networks(" 10.0.0.0/8, 192.0.2.7 ") == "10.0.0.0/8,192.0.2.7/32"
    assert normalize_networks("") == ""
    with pytest.raises(ValueError, match="proxy"):
        normalize_networks("proxy")


@pytest.mark.parametrize(
    ("url", "proxies", "found"),
    [
        ("http://127.0.0.1:8000", (), []),
        ("https://berth.example.org", (ip_network("10.0.0.7/32"),), []),
        ("https://berth.example.org", (), ["berth.W001"]),
    ],
)
def test_tls_without_a_named_proxy_is_warned_of(
    set_site: Callable[..., None], url: str, proxies: tuple[object, ...], found: list[str]
) -> None:
    set_site(portal_url=url, trusted_proxies=proxies)
    assert [warning.id for warning in check_proxy_is_named()] == found
