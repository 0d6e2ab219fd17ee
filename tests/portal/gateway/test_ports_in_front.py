"""A server behind a port works as it would in front of the gateway: addresses, sign-in, cookies, sockets."""

from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession, CookieJar, WSServerHandshakeError
from yarl import URL

from portal.apps.commands import ServedAt
from tests.portal.gateway.app_site import APP, TOKEN, AppSite, app_site

PERSONAL = "berth_0123456789012345678901234567890123456789012_89abcdef"


@pytest.fixture
async def site() -> AsyncIterator[AppSite]:
    async with app_site() as served:
        yield served


def answering(pages: str, **headers: str) -> str:
    """Return the address of an answer with these headers."""
    return str(URL(f"{pages}answer").with_query(headers))


async def seen_by(site: AppSite, url: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    """Return the headers that the server got, by their names in lower case."""
    async with site.request(method, url, Origin=site.url, **headers) as response:
        echo = await response.json()
    got: dict[str, list[str]] = {}
    for name, value in echo["headers"]:
        got.setdefault(name.lower(), []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in got.items()}


@pytest.mark.parametrize("status", ["201", "301", "302", "303", "307", "308"])
@pytest.mark.parametrize("named", ["{host}/items/?a=1#b", "/items/?a=1#b"])
async def test_server_leads_to_itself_by_any_of_its_names(
    site: AppSite, status: str, named: str
) -> None:
    pages = site.serve(site.upstream.port)
    host = f"http://{(await seen_by(site, pages))['host']}"
    for start in ("http:", "https:", "") if "{host}" in named else ("",):
        location = named.format(host=host.replace("http:", start))
        async with site.get(answering(pages, status=status, Location=location)) as response:
            leads_to = response.url.join(URL(response.headers["Location"]))
        assert str(leads_to) == f"{pages}items/?a=1#b"


async def test_colleague_is_led_there_too_and_nowhere_else(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    site.share()
    for location, is_followed in ((f"{site.url}/a", True), ("http://elsewhere.test/a", False)):
        async with site.get(answering(pages, status="302", Location=location)) as response:
            wanted = f"{pages}a" if is_followed else None
            assert response.headers.get("Location") == wanted


async def test_other_headers_with_addresses_lead_there_as_well(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    base = pages.removeprefix(site.url)
    headers = {"Content-Location": "/a", "Refresh": "9; url=/b", "Link": "</c>; rel=next"}
    async with site.get(answering(pages, **headers)) as response:
        found = {name: response.headers[name] for name in headers}
    assert found == {
        "Content-Location": f"{base}a",
        "Refresh": f"9; url={base}b",
        "Link": f"<{base}c>; rel=next",
    }


async def test_server_is_told_how_browsers_see_it_and_by_nobody_else(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    lies = {
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Host": "evil.test",
        "X-Forwarded-Proto": "gopher",
        "X-Forwarded-Prefix": "/evil",
        "X-Forwarded-User": "root",
        "X-Forwarded": "for=evil",
        "Forwarded": "host=evil.test",
        "X-Real-IP": "192.0.2.1",
        "X-Script-Name": "/evil",
        "X-Original-URL": "/evil",
        "Proxy": "http://evil.test",
        "Proxy-Authorization": "Basic ZXZpbA==",
    }
    got = await seen_by(site, f"{pages}api", Referer=f"{pages}page?a=1", Destination="/b", **lies)
    host = site.url.removeprefix("http://")
    assert "evil" not in str(got)
    assert {name: value for name, value in got.items() if "forward" in name} == {
        "forwarded": f'for=127.0.0.1;host="{host}";proto=http',
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-host": host,
        "x-forwarded-proto": "http",
        "x-forwarded-prefix": pages.removeprefix(site.url).rstrip("/"),
    }
    named = (got["host"], got["origin"], got["referer"], got["destination"])
    assert named == (host, site.url, f"{site.url}/page?a=1", "/b")


async def test_server_that_keeps_its_path_is_told_of_no_prefix(site: AppSite) -> None:
    pages = site.serve(site.upstream.port, ServedAt.BASE_PATH)
    got = await seen_by(site, f"{pages}api", Referer=f"{pages}page")
    assert (got["referer"], "x-forwarded-prefix" in got) == (f"{pages}page", False)


@pytest.mark.parametrize(
    "value",
    [
        f"Basic {b64encode(b'me:secret').decode()}",
        "Bearer sk-of-the-app",
        "Bearer my-berth-key",
        'Digest username="me", realm="there"',
        "Token 0123",
        "AWS4-HMAC-SHA256 Credential=x/20261129/y/s3/aws4_request",
    ],
)
async def test_servers_own_credentials_arrive(site: AppSite, value: str) -> None:
    pages = site.serve(site.upstream.port)
    assert (await seen_by(site, pages, Authorization=value))["authorization"] == value


@pytest.mark.parametrize(
    "value",
    [
        f"Bearer {PERSONAL}",
        f"bearer  {PERSONAL}",
        PERSONAL,
        f"Basic {b64encode(f'me:{PERSONAL}'.encode()).decode()}",
        f"Basic {b64encode(f'{PERSONAL}:'.encode()).decode()}",
        "Bearer berthnode_0123",
        f"token {TOKEN}",
    ],
)
async def test_credentials_of_the_portal_do_not(site: AppSite, value: str) -> None:
    pages = site.serve(site.upstream.port)
    assert "authorization" not in await seen_by(site, pages, Authorization=value)


@pytest.mark.parametrize("demand", ['Basic realm="there"', "Bearer", "Digest realm=x, nonce=y"])
async def test_browser_is_asked_for_credentials(site: AppSite, demand: str) -> None:
    pages = site.serve(site.upstream.port)
    url = answering(pages, **{"status": "401", "WWW-Authenticate": demand})
    async with site.get(url) as response:
        assert (response.status, response.headers["WWW-Authenticate"]) == (401, demand)


@pytest.mark.parametrize(
    ("demand", "shown"),
    [
        ('Basic realm="of the other"', f'Basic realm="/e/{APP}/", charset="UTF-8"'),
        ('bAsIc realm=other, Digest realm="x"', f'Basic realm="/e/{APP}/", charset="UTF-8"'),
        ("Bearer", "Bearer"),
        ('Bearer realm="x", Basic realm="other"', None),
        ('Digest realm="x", nonce="y"', None),
        ("Negotiate", None),
        ("NTLM", None),
    ],
)
async def test_colleague_is_asked_for_no_credentials_of_other_work(
    site: AppSite, demand: str, shown: str | None
) -> None:
    """Browsers keep passwords by origin and realm, and answer a demand that they know by themselves."""
    pages = site.serve(site.upstream.port)
    site.share()
    url = answering(pages, **{"status": "401", "WWW-Authenticate": demand})
    async with site.get(url) as response:
        assert (response.status, response.headers.get("WWW-Authenticate")) == (401, shown)


@pytest.mark.parametrize(
    ("set_cookie", "kept"),
    [
        ("a=1", "a=1; Path={base}"),
        ("a=1; Path=/", "a=1; Path={base}"),
        ("a=1; Path=/api", "a=1; Path={base}api"),
        ("a=1; Path=/api/; Path=/b", "a=1; Path={base}b"),
        ("a=1; path={base}api", "a=1; Path={base}api"),
        ("a=1; Path=/e/other/", "a=1; Path={base}"),
        ("a=1; Path=relative", "a=1; Path={base}"),
        (
            "a=1; Domain=example.org; Max-Age=9; HttpOnly; Secure; SameSite=None; Partitioned",
            "a=1; Max-Age=9; HttpOnly; Secure; SameSite=None; Partitioned; Path={base}",
        ),
        ("a=; Max-Age=0; Path=/api", "a=; Max-Age=0; Path={base}api"),
        ("__Secure-a=1; Secure; Path=/", "__Secure-a=1; Secure; Path={base}"),
        ("__Host-a=1; Secure; Path=/", "__Secure-__Host-a=1; Secure; Path={base}"),
        ("berth-app-x=1; Path=/", None),
        ("__Http-berth-app-x=1; Path=/; Secure", None),
    ],
)
async def test_cookies_are_kept_where_they_would_be_below_the_port(
    site: AppSite, set_cookie: str, kept: str | None
) -> None:
    pages = site.serve(site.upstream.port)
    base = pages.removeprefix(site.url)
    url = answering(pages, **{"Set-Cookie": set_cookie.format(base=base)})
    async with site.get(url) as response:
        found = response.headers.getall("Set-Cookie", [])
    assert found == ([kept.format(base=base)] if kept else [])


async def test_cookie_without_a_path_is_of_the_folder_of_its_page(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    base = pages.removeprefix(site.url)
    for page, path in (("a/b/", f"{base}a/b"), ("a/", f"{base}a"), ("", base)):
        async with site.get(answering(f"{pages}{page}", **{"Set-Cookie": "a=1"})) as response:
            assert response.headers["Set-Cookie"] == f"a=1; Path={path}"


async def test_server_gets_its_cookies_by_the_names_that_it_gave_them(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    cookies = "; a=1; __Secure-b=2; __Secure-__Host-c=3; berth-session=x; __Http-berth-app-1=y; d"
    got = await seen_by(site, pages, Cookie=f"berth-app-{APP}=secret{cookies}")
    assert got["cookie"] == "a=1; __Secure-b=2; __Host-c=3; d"


async def test_server_gets_its_own_cookie_and_not_the_notebooks_of_the_same_name(
    site: AppSite,
) -> None:
    """Browsers send those of longer paths first; Jupyter's are for all of its path, ports included."""
    pages = site.serve(site.upstream.port)
    cookies = "; _xsrf=own; username-x=own; a=1; a=2; _xsrf=lab; username-x=lab"
    got = await seen_by(site, pages, Cookie=f"berth-app-{APP}=secret{cookies}")
    assert got["cookie"] == "_xsrf=own; username-x=own; a=1; a=2"


async def test_two_ports_keep_cookies_of_one_name_apart(site: AppSite) -> None:
    jar = CookieJar(unsafe=True)
    async with ClientSession(cookie_jar=jar) as browser:
        jar.update_cookies({f"berth-app-{APP}": "secret"}, URL(site.url))
        pages = site.serve(site.upstream.port)
        async with browser.get(answering(pages, **{"Set-Cookie": "sid=one; Path=/"})):
            pass
        async with browser.get(f"{pages}api") as response:
            assert "sid=one" in await response.text()
        here = jar.filter_cookies(URL(pages))
        elsewhere = jar.filter_cookies(
            URL(pages.replace(f"/port/{site.upstream.port}/", "/port/1/"))
        )
        assert ("sid" in here, "sid" in elsewhere) == (True, False)
        async with browser.get(answering(pages, **{"Set-Cookie": "sid=; Max-Age=0; Path=/"})):
            pass
        assert "sid" not in jar.filter_cookies(URL(pages))


async def test_cookies_that_the_server_refuses_are_taken_away(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    base = pages.removeprefix(site.url)
    url = answering(pages, status="431")
    async with site.get(url, cookies=f"; big={'x' * 9_000}") as response:
        found = response.headers.getall("Set-Cookie")
    assert f"big=; Max-Age=0; Path={base}" in found
    async with site.get(url, cookies="; big=x") as response:
        assert "Set-Cookie" not in response.headers


async def test_socket_arrives_with_origin_credentials_and_protocol(site: AppSite) -> None:
    pages = site.serve(site.upstream.port)
    async with site.socket(f"{pages}socket", Authorization="Bearer sk-own") as socket:
        await socket.send_str("headers")
        seen = {name.lower(): value for name, value in (await socket.receive_json()).items()}
    assert (seen["host"], seen["origin"]) == (site.url.removeprefix("http://"), site.url)
    assert (seen["authorization"], "cookie" in seen) == ("Bearer sk-own", False)
    assert seen["x-forwarded-prefix"] == pages.removeprefix(site.url).rstrip("/")


@pytest.mark.parametrize("status", [401, 403])
async def test_refusal_of_a_socket_arrives(site: AppSite, status: int) -> None:
    pages = site.serve(site.upstream.port)
    with pytest.raises(WSServerHandshakeError) as refusal:
        await site.socket(answering(pages, status=str(status)))
    assert refusal.value.status == status
