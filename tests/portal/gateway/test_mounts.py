"""Addresses of a server behind a port, as browsers and as the server itself see them."""

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from portal.common.origins import Origin
from portal.gateway.mounts import PortMount

BASE = "/e/0190d3a0-0000-7000-8000-000000000001/port/6006/"
ORIGIN = "https://apps.example.org"
BELOW = PortMount(Origin.parse(ORIGIN), BASE, 6006)
KEPT = PortMount(Origin.parse(ORIGIN), BASE, 6006, is_removed=False)
ALONE = PortMount(Origin.parse("http://x.apps.test:8001"), "/", 6006, is_removed=False)


@pytest.mark.parametrize(
    ("given_url", "moved"),
    [
        ("/items/", f"{BASE}items/"),
        ("/items?a=/b#c", f"{BASE}items?a=/b#c"),
        ("/", BASE),
        (f"{BASE}items/", f"{BASE}items/"),
        (BASE.rstrip("/"), BASE.rstrip("/")),
        (f"{BASE[:-1]}?a=1", f"{BASE[:-1]}?a=1"),
        (f"{BASE[:-1]}7/x", f"{BASE}{BASE[1:-1]}7/x"),
        ("items/", "items/"),
        ("?a=1", "?a=1"),
        ("#there", "#there"),
        ("../up", "../up"),
        ("../../../up?a=1#c", f"{BASE}up?a=1#c"),
        ("/../up", f"{BASE}up"),
        ("/%2e%2E/up?a=/../b", f"{BASE}up?a=/../b"),
        (f"{BASE}../../../up", f"{BASE}e/up"),
        ("%2e./../../up", f"{BASE}up"),
        ("/up?a=/../b", f"{BASE}up?a=/../b"),
        ("", ""),
        ("https://apps.example.org/items/", f"{ORIGIN}{BASE}items/"),
        ("http://apps.example.org/items/", f"{ORIGIN}{BASE}items/"),
        ("HTTP://Apps.Example.ORG:443/items/", f"{ORIGIN}{BASE}items/"),
        ("http://apps.example.org:80/items/", f"{ORIGIN}{BASE}items/"),
        ("//apps.example.org/items/?a=1", f"{ORIGIN}{BASE}items/?a=1"),
        ("https://apps.example.org", f"{ORIGIN}{BASE}"),
        ("https://apps.example.org?a=1", f"{ORIGIN}{BASE}?a=1"),
        ("https://apps.example.org#c", f"{ORIGIN}{BASE}#c"),
        (f"http://apps.example.org{BASE}items/", f"{ORIGIN}{BASE}items/"),
        ("http://127.0.0.1:6006/items/", f"{ORIGIN}{BASE}items/"),
        ("http://localhost:6006/items/", f"{ORIGIN}{BASE}items/"),
        ("http://[::1]:6006/", f"{ORIGIN}{BASE}"),
        ("http://localhost:6007/items/", "http://localhost:6007/items/"),
        ("https://apps.example.org:8443/x", "https://apps.example.org:8443/x"),
        ("https://apps.example.org.evil.test/x", "https://apps.example.org.evil.test/x"),
        ("https://me@apps.example.org/x", "https://me@apps.example.org/x"),
        ("https://example.org/x", "https://example.org/x"),
        ("//example.org/x", "//example.org/x"),
        ("/\\example.org/x", "/\\example.org/x"),
        ("vscode://file/x", "vscode://file/x"),
        ("mailto:me@example.org", "mailto:me@example.org"),
        ("http://[", "http://["),
    ],
)
def test_own_addresses_are_moved_below_the_path_and_others_are_not(
    given_url: str, moved: str
) -> None:
    assert BELOW.move(given_url, f"{BASE}a/page") == moved
    assert BELOW.move(moved, f"{BASE}a/page") == moved


def test_relative_address_is_right_on_the_page_without_a_slash() -> None:
    page = BASE.rstrip("/")
    assert BELOW.move("items/", page) == f"{BASE}items/"
    assert BELOW.move("?a=1", page) == f"{BASE}?a=1"


@pytest.mark.parametrize(
    ("given_url", "moved"),
    [
        ("/login", f"{BASE}login"),
        (f"{BASE}login", f"{BASE}login"),
        ("../x", "../x"),
        (f"http://apps.example.org{BASE}login", f"{ORIGIN}{BASE}login"),
        ("http://apps.example.org/login", f"{ORIGIN}{BASE}login"),
    ],
)
def test_server_that_keeps_its_path_is_held_below_it(given_url: str, moved: str) -> None:
    assert KEPT.move(given_url, f"{BASE}page") == moved
    assert KEPT.show(f"{ORIGIN}{BASE}page") == f"{ORIGIN}{BASE}page"


@pytest.mark.parametrize(
    ("given_url", "moved"),
    [
        ("/x", "/x"),
        ("../../x", "../../x"),
        ("https://x.apps.test:8001/x", "http://x.apps.test:8001/x"),
        ("http://0.0.0.0:6006/x", "http://x.apps.test:8001/x"),
        ("http://y.apps.test:8001/x", "http://y.apps.test:8001/x"),
    ],
)
def test_on_a_host_of_its_own_paths_are_what_they_are(given_url: str, moved: str) -> None:
    assert ALONE.move(given_url, "/page") == moved
    assert ALONE.prefix == ""


@pytest.mark.parametrize(
    ("name", "value", "moved"),
    [
        (b"location", b" /a ", f"{BASE}a"),
        (b"content-location", b"/a.json", f"{BASE}a.json"),
        (b"refresh", b"5", "5"),
        (b"refresh", b"0; url=/a?b=1", f"0; url={BASE}a?b=1"),
        (b"refresh", b"0;URL='http://apps.example.org/a'", f"0;URL='{ORIGIN}{BASE}a'"),
        (b"refresh", b"1.5, /a", f"1.5, {BASE}a"),
        (b"refresh", b"3; url=https://example.org/", "3; url=https://example.org/"),
        (
            b"link",
            b'</a.css>; rel=preload; as=style, <b.js>; rel="x>y", <https://c.test/>; rel=next',
            f'<{BASE}a.css>; rel=preload; as=style, <b.js>; rel="x>y", <https://c.test/>; rel=next',
        ),
        (b"x-own", b"/a", "/a"),
        (b"location", "/caf\u00e9".encode("latin-1"), f"{BASE}caf\u00e9"),
    ],
)
def test_every_header_that_names_addresses_is_moved(name: bytes, value: bytes, moved: str) -> None:
    assert BELOW.move_header(name, value, f"{BASE}page") == moved.encode("latin-1")


@pytest.mark.parametrize(
    ("named", "seen"),
    [
        (f"{ORIGIN}{BASE}a/b?c=1", f"{ORIGIN}/a/b?c=1"),
        (f"{ORIGIN}{BASE}", f"{ORIGIN}/"),
        (f"{ORIGIN}{BASE[:-1]}", f"{ORIGIN}/"),
        (f"{BASE}a", "/a"),
        (f"{ORIGIN}/e/other/lab", f"{ORIGIN}/e/other/lab"),
        ("https://example.org/", "https://example.org/"),
    ],
)
def test_server_is_named_its_own_addresses(named: str, seen: str) -> None:
    assert BELOW.show(named) == seen


STEPS = st.text(alphabet="ab.", min_size=1, max_size=3)
PATHS = st.lists(STEPS | st.just(".."), max_size=5).map("/".join)
ENDS = st.sampled_from(["", "?q=1", "#f", "?q=/../x#f"])


@given(PATHS, PATHS, ENDS, st.sampled_from(["", "/", "http://apps.example.org/"]))
def test_browser_arrives_where_it_would_have_without_a_gateway(
    page: str, path: str, end: str, start: str
) -> None:
    """What is behind the prefix is what the server would have been asked for, had it been asked directly."""
    assume(not path.startswith("/"))
    page = urlsplit(urljoin("http://x/", page)).path
    direct = urljoin(f"http://x{'/' if start else page}", f"{path}{end}")
    moved = BELOW.move(f"{start}{path}{end}", f"{BASE[:-1]}{page}")
    through = urljoin(f"{ORIGIN}{BASE[:-1]}{page}", moved)
    assert through == f"{ORIGIN}{BASE[:-1]}{direct.removeprefix('http://x')}"


@given(st.text(alphabet="abe/.:?#[]@\\ <>%;=", max_size=30))
def test_any_address_can_be_moved(url: str) -> None:
    moved = BELOW.move(url, f"{BASE}page")
    assert BELOW.move(moved, f"{BASE}page") == moved
    for name in (b"location", b"link", b"refresh"):
        BELOW.move_header(name, url.encode(), f"{BASE}page")
