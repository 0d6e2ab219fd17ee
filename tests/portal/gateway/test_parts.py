"""The small decisions of the gateway, without a server."""

import asyncio
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import get_header, parse_cookies, raw_path
from portal.common.concurrency import first_completed
from portal.common.origins import HostPattern, Origin
from portal.gateway.addresses import Address
from portal.gateway.cookie_sizes import COOKIES_MAX, forget_cookies, limit_cookies
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
        ("__Http-Berth-app-1=1", None),
        ("__Host-Http-berth-app-1=1", None),
        ("no pair", None),
        ("a=" + "x" * 5000, None),
    ],
)
def test_a_notebooks_cookie_stays_below_its_path(given_cookie: str, kept: str | None) -> None:
    confined_cookie = confine_cookie(given_cookie.encode(), "/b/")
    assert confined_cookie == (kept.encode() if kept else None)


@pytest.mark.parametrize(
    ("given_cookie", "kept"),
    [
        ("a=1; Path=/x; Domain=apps.example.org; Secure", "a=1; Path=/x; Secure"),
        ("a=1; domain = example.org", "a=1"),
        ("__Host-Berth-App-1=1; Path=/; Secure", None),
    ],
)
def test_a_cookie_of_an_own_host_stays_on_it(given_cookie: str, kept: str | None) -> None:
    confined_cookie = confine_cookie(given_cookie.encode(), "/")
    assert confined_cookie == (kept.encode() if kept else None)


@pytest.mark.parametrize(
    ("scheme", "own_host", "cookie"),
    [
        ("http", False, "berth-app-{id}=s; Path=/e/{id}/; HttpOnly; SameSite=Lax"),
        ("https", False, "__Http-berth-app-{id}=s; Path=/e/{id}/; HttpOnly; SameSite=Lax; Secure"),
        ("http", True, "berth-app-{id}=s; Path=/; HttpOnly; SameSite=Lax"),
        ("https", True, "__Host-Http-berth-app-{id}=s; Path=/; HttpOnly; SameSite=Lax; Secure"),
    ],
)
def test_a_grant_is_secure_and_bound_where_it_can_be(
    scheme: str, own_host: bool, cookie: str
) -> None:
    address = Address(NOTEBOOK, Origin.parse(f"{scheme}://x.example.org"), has_own_host=own_host)
    assert build_grant_cookie(address, "s") == cookie.format(id=NOTEBOOK)


HOSTS = HostPattern.parse("https://*.apps.example.org")


@pytest.mark.parametrize(
    ("host", "is_found"),
    [
        (f"{NOTEBOOK}.apps.example.org", True),
        (f"{NOTEBOOK}.apps.example.org:443", False),
        (f"{NOTEBOOK}.apps.example.org:8443", False),
        (f"{NOTEBOOK}.apps.example.org.", False),
        (f"{NOTEBOOK}.APPS.example.org", False),
        (f"{str(NOTEBOOK).upper()}.apps.example.org", False),
        (f"{NOTEBOOK.hex}.apps.example.org", False),
        (f"x.{NOTEBOOK}.apps.example.org", False),
        (f"{NOTEBOOK}.apps.example.org.evil.example", False),
        (f"{NOTEBOOK}.evil.example", False),
        (f"{NOTEBOOK}", False),
        ("night.apps.example.org", False),
        ("apps.example.org", False),
        (".apps.example.org", False),
        ("", False),
    ],
)
def test_a_host_names_work_in_one_spelling_only(host: str, is_found: bool) -> None:
    assert HOSTS.find_work(host) == (NOTEBOOK if is_found else None)
    assert HOSTS.is_host(host) is is_found


def test_the_origin_of_work_is_the_one_that_browsers_name() -> None:
    origin = HOSTS.origin_of(NOTEBOOK)
    assert str(origin) == f"https://{NOTEBOOK}.apps.example.org"
    local = HostPattern.parse("http://*.localhost:8001").origin_of(NOTEBOOK)
    assert local == Origin.parse(f"http://{NOTEBOOK}.localhost:8001")


@pytest.mark.parametrize(
    "text",
    [
        "https://apps.example.org",
        "https://*",
        "https://a*.example.org",
        "https://*.*.example.org",
        "https://x.*.example.org",
        "https://*.192.0.2.7",
        "https://*.apps.example.org/",
        "ftp://*.apps.example.org",
        "*.apps.example.org",
    ],
)
def test_what_is_no_pattern_of_hosts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="one \\* as the first label"):
        HostPattern.parse(text)


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


def test_of_two_cookies_of_one_name_the_last_counts() -> None:
    """Scripts set others for longer paths, which browsers send first."""
    scope = {"headers": [(b"cookie", b"a=planted; b=1"), (b"cookie", b"a=own")]}
    assert parse_cookies(scope) == {"a": "own", "b": "1"}


def test_new_cookies_are_dropped_where_they_no_longer_fit() -> None:
    sent = "a=" + "x" * (COOKIES_MAX - 100)
    changed, gone = b"a=" + b"y" * 200 + b"; Path=/b/", b"c=; Max-Age=0; Path=/b/"
    small, large = b"b=1; Path=/b/", b"d=" + b"x" * 200 + b"; Path=/b/"
    assert limit_cookies([changed, large, small, gone], sent) == [changed, gone]
    assert limit_cookies([changed, small, large, gone], sent) == [changed, small, gone]
    assert limit_cookies([small, large], "") == [small, large]


@pytest.mark.parametrize("status", [400, 431, 494])
def test_cookies_that_are_refused_for_their_size_are_taken_away(status: int) -> None:
    sent = f"a={'x' * 4_000}; b={'y' * 4_000}"
    origin = Origin.parse("https://apps.example.org:8443")
    taken = forget_cookies(status, sent, "/e/1/lab", origin)
    assert b"b=; Max-Age=0; Path=/e/1; Secure" in taken
    places = ("/", "/e", "/e/", "/e/1", "/e/1/", "/e/1/lab", "/e/1/lab/")
    domains = ("", "; Domain=apps.example.org", "; Domain=example.org")
    assert set(taken) == {
        f"{name}=; Max-Age=0; Path={place}{domain}; Secure".encode()
        for name in "ab"
        for place in places
        for domain in domains
    }


@pytest.mark.parametrize(("status", "size"), [(400, 3_000), (200, 9_000), (403, 9_000)])
def test_cookies_of_other_refusals_stay(status: int, size: int) -> None:
    assert forget_cookies(status, "a=" + "x" * size, "/", Origin.parse("http://x")) == []


@given(st.text(alphabet="ab=; /x", max_size=300).map(lambda some: some * 30))
def test_what_takes_cookies_away_is_bounded(sent: str) -> None:
    taken = forget_cookies(431, sent, "/e" * 2_000, Origin.parse("http://a.b.c"))
    assert sum(map(len, taken)) <= 64 * 1024


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
