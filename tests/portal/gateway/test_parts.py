"""The small decisions of the gateway, without a server."""

import asyncio
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.common.asgi import get_header, parse_cookies, raw_path
from portal.common.concurrency import first_completed
from portal.common.connection_limiter import ConnectionLimiter
from portal.common.origins import Origin
from portal.gateway.cookies import build_grant_cookie, confine_cookie
from portal.gateway.headers import drop_hop_by_hop

NOTEBOOK = UUID("0190d3a0-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    ("url", "host", "is_ours"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
        ("http://127.0.0.1:8000", "127.0.0.1", False),
        ("http://127.0.0.1:8000", "127.0.0.1:8000:80", False),
        ("http://127.0.0.1:8000", "127.0.0.1:80000", False),
        ("https://Portal.Example.org", "portal.example.ORG", True),
        ("https://portal.example.org", "portal.example.org:443", True),
        ("https://portal.example.org:443", "portal.example.org", True),
        ("https://portal.example.org", "portal.example.org:80", False),
        ("https://portal.example.org", "portal.example.org.evil", False),
        ("https://portal.example.org", "evil.portal.example.org", False),
        ("http://[::1]", "[::1]", True),
        ("http://portal", "", False),
    ],
)
def test_a_host_is_ours_or_it_is_not(url: str, host: str, is_ours: bool) -> None:
    assert Origin.parse(url).is_host(host) is is_ours


def test_an_origin_is_written_as_browsers_do() -> None:
    assert str(Origin.parse("HTTPS://Portal.example.org:443")) == "https://portal.example.org"
    assert Origin.parse("http://x:81").is_origin("http://x:81")
    assert not Origin.parse("http://x").is_origin("http://x/")


@pytest.mark.parametrize(
    ("given_cookie", "kept"),
    [
        ("a=1", "a=1; Path=/b/"),
        (
            "a=1; Path=/; DOMAIN=x; HttpOnly ; SameSite=None",
            "a=1; HttpOnly; SameSite=None; Path=/b/",
        ),
        (
            "a=x=y; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "a=x=y; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/b/",
        ),
        ("berth-session=1", None),
        (" Berth-App-1=1", None),
        ("__Host-berth-session=1", None),
        ("no pair", None),
        ("a=" + "x" * 5000, None),
    ],
)
def test_a_notebooks_cookie_stays_below_its_path(given_cookie: str, kept: str | None) -> None:
    confined_cookie = confine_cookie(given_cookie.encode(), "/b/")
    assert confined_cookie == (kept.encode() if kept else None)


def test_a_grant_is_secure_where_the_origin_is() -> None:
    assert build_grant_cookie(NOTEBOOK, "s", is_secure=True).endswith(
        "; HttpOnly; SameSite=Lax; Secure"
    )


def test_headers_that_connection_names_stay_behind() -> None:
    sent = [
        (b"connection", b"keep-alive, X-One"),
        (b"x-one", b"1"),
        (b"x-two", b"2"),
        (b"te", b"x"),
    ]
    assert drop_hop_by_hop(sent) == [(b"x-two", b"2")]


def test_a_header_given_twice_counts_as_none() -> None:
    scope = {"headers": [(b"host", b"a"), (b"host", b"b"), (b"origin", b"o")]}
    assert (get_header(scope, b"host"), get_header(scope, b"origin")) == ("", "o")


@given(st.binary(max_size=200).map(lambda raw: raw.replace(b"\n", b"").replace(b"\r", b"")))
def test_any_cookie_header_can_be_read(raw: bytes) -> None:
    assert all("=" not in name for name in parse_cookies({"headers": [(b"cookie", raw)]}))


@pytest.mark.parametrize("sent", ["/a", "*", "http://evil/", "//evil/", ":9/", "@evil/"])
def test_a_path_begins_with_a_slash(sent: str) -> None:
    assert raw_path({"raw_path": sent.encode()}).startswith("/")


def test_places_come_back() -> None:
    limiter = ConnectionLimiter(1)
    with limiter.acquire("a") as one, limiter.acquire("a") as two, limiter.acquire("b") as other:
        assert (one, two, other) == (True, False, True)
    with limiter.acquire("a") as again:
        assert again


async def test_the_first_to_end_decides_and_the_rest_is_gone() -> None:
    ended = asyncio.Event()

    async def slow() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "slow"

    async def fast() -> str:
        return "fast"

    async def failing() -> str:
        raise ValueError

    assert await first_completed(slow(), fast()) == "fast"
    assert ended.is_set()
    with pytest.raises(ValueError, match=r"^$"):
        await first_completed(failing(), slow())
