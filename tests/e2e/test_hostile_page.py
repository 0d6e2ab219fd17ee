"""What a colleague's shared page can have the reader's browser do to a notebook of the reader's own."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Error

from portal.endpoints.values import base_path
from tests.e2e.hostile_site import GRANTS, OWN, SHARED, HostileSite, hostile_site
from tests.waiting import PATIENCE_S, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

PROBES: Final = Path(__file__).with_name("hostile_probes.js").read_text()
NAMES: Final = f"() => Object.keys(({PROBES})(''))"
TRY: Final = f"""
async ([name, own, other]) => {{
  const [kind, ask] = ({PROBES})(own)[name];
  for (const place of [other, own])
    try {{
      await ask(`${{place}}files/x.${{kind}}?probe=${{name}}`);
    }} catch {{
      // refused
    }}
}}
"""
"""Tries one probe on the other's files, and then on its own, which shows that the browser has done the first."""
TRIES: Final = 2
"""How often what was not reached is tried again before the last time."""
AHEAD: Final = {"prefetch_by_rule", "prerender_by_rule"}
"""Nobody opens pages ahead of their reader."""
NO_PARTS: Final = {
    "embed",
    "form_that_posts",
    "link_to_a_window",
    "object",
    "service_worker",
    "window",
}
"""A shared page may not do this below its own path either."""
NO_READS: Final = {"beacon", "ping", "socket"}
FROM_A_FRAME: Final = """
async ([address, other]) => {
  const frame = document.createElement('iframe');
  const shown = new Promise((resolve) => { frame.onload = resolve; });
  frame.src = address;
  document.body.append(frame);
  await shown;
  await frame.contentWindow.fetch(other).catch(() => undefined);
  const image = frame.contentDocument.createElement('img');
  const done = new Promise((resolve) => { image.onload = image.onerror = resolve; });
  image.src = other;
  frame.contentDocument.documentElement.append(image);
  await done;
}
"""
"""Has a document that the page may frame ask for what the page may not."""
LOOK_AROUND: Final = """
async (other) => {
  document.body.innerHTML = '<img src="data:image/png;base64,AAAA"><img src="x.png">';
  await fetch(other).catch(() => undefined);
}
"""
"""Breaks a policy, about which the browser may have to report."""
SET_COOKIES: Final = """
([count, size, path]) => {
  for (let number = 0; number < count; number += 1)
    document.cookie = `c${number}=${'x'.repeat(size)}; path=${path}`;
}
"""


@pytest.fixture(scope="module")
def site() -> Iterator[HostileSite]:
    with hostile_site() as served:
        yield served


@pytest.fixture
def context(site: HostileSite, chromium: Browser) -> Iterator[BrowserContext]:
    site.share("full")
    site.asked.clear()
    site.answered.clear()
    seated = site.seat(chromium)
    yield seated
    seated.close()


def try_all(
    site: HostileSite,
    context: BrowserContext,
    reached: Callable[[], AbstractSet[str]],
    but: AbstractSet[str],
) -> None:
    """Try every probe, each in a tab of its own that stays open, until all `but` some were reached.

    A busy browser leaves out what it does not need to show a page: what is missing is tried again.
    """
    names = set(site.open(context).evaluate(NAMES))
    missing = names
    for patience_s in (*[PATIENCE_S / 3] * TRIES, PATIENCE_S):
        for name in sorted(missing):
            site.open(context).evaluate(TRY, [name, site.shared, site.own])
        with suppress(AssertionError):
            wait_until(lambda: names - but <= reached(), within_s=patience_s)
            return
        missing = names - but - reached()
    raise AssertionError(missing)


def test_probes_reach_what_a_page_of_ones_own_may_reach(
    site: HostileSite, context: BrowserContext
) -> None:
    site.share("own")
    try_all(site, context, lambda: site.asked, AHEAD)


@pytest.mark.parametrize(("access", "refused"), [("view", NO_READS), ("full", set[str]())])
def test_page_of_a_colleague_reaches_nothing_of_the_reader(
    site: HostileSite, context: BrowserContext, access: str, refused: set[str]
) -> None:
    site.share(access)
    try_all(site, context, lambda: site.answered, AHEAD | NO_PARTS | refused)
    assert site.asked == set()


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "x" * 9_000,
        "page.html?Location=http://[",
        "page.html?Content-Security-Policy=sandbox%20allow-scripts%20allow-same-origin",
        f"{base_path(SHARED)}berth/status",
        f"{base_path(SHARED)}berth/nothing",
        f"{base_path(SHARED)}port/1/",
    ],
    ids=["page", "too long", "no address", "own policy", "desk", "desk without", "no port"],
)
def test_every_document_that_the_page_may_frame_has_a_policy(
    site: HostileSite, context: BrowserContext, answer: str
) -> None:
    page = site.open(context)
    address = f"{site.url}{answer}" if answer.startswith("/") else f"{site.shared}{answer}"
    with suppress(Error):  # a document of no origin at all
        page.evaluate(FROM_A_FRAME, [address, f"{site.own}files/x.png?probe=framed"])
    assert site.asked == set()


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Security-Policy": "img-src 'none'; report-uri {other}"},
        {"Content-Security-Policy": "img-src 'none'; Report-URI {other}, img-src 'none'"},
        {"Content-Security-Policy-Report-Only": "img-src 'none'; report-uri {other}"},
        {
            "Content-Security-Policy": "img-src 'none'; report-to there",
            "Reporting-Endpoints": 'there="{other}"',
        },
        {"Speculation-Rules": '"{other}"'},
        {"Link": "<{other}>; rel=preload; as=script, <{other}>; rel=stylesheet"},
        {"Link": "<{other}>; rel=prefetch, <{other}>; rel=modulepreload"},
        {"Refresh": "0; url={other}"},
    ],
    ids=" ".join,
)
def test_headers_of_the_page_have_nothing_of_the_reader_asked_for(
    site: HostileSite, context: BrowserContext, headers: dict[str, str]
) -> None:
    other = f"{site.own}files/x.js?probe=header"
    sent = {name: value.format(other=other) for name, value in headers.items()}
    page = site.open(context)
    framed = f"{site.shared}page.html?{urlencode(sent)}"
    with suppress(Error):
        page.evaluate(FROM_A_FRAME, [framed, other])
    if "Refresh" not in headers:
        site.open(context, f"?{urlencode(sent)}").evaluate(LOOK_AROUND, other)
    assert site.asked == set()


@pytest.mark.parametrize("place", ["/", f"{base_path(OWN)}lab", f"{base_path(OWN)}lab/tree"])
def test_cookie_of_the_page_does_not_shut_the_reader_out(
    site: HostileSite, context: BrowserContext, place: str
) -> None:
    planted = f"berth-app-{OWN}=planted; path={place}"
    site.open(context).evaluate("(cookie) => { document.cookie = cookie; }", planted)
    answer = context.new_page().goto(f"{site.own}lab/tree/a.ipynb")
    assert answer is not None
    assert (answer.status, "planted" in answer.request.all_headers()["cookie"]) == (200, True)


def test_page_does_not_pass_for_its_owners_by_a_grant_of_the_owner(
    site: HostileSite, context: BrowserContext
) -> None:
    planted = f"berth-app-{SHARED}=owner; path={base_path(SHARED)}port/"
    page = site.open(context)
    page.evaluate("(cookie) => { document.cookie = cookie; }", planted)
    answer = page.goto(f"{site.shared}page.html")
    assert answer is not None
    assert "owner" in answer.request.all_headers()["cookie"]
    page.evaluate(FROM_A_FRAME, [f"{site.shared}page.html", f"{site.own}files/x.png?probe=owner"])
    assert site.asked == set()


@pytest.mark.parametrize("place", ["/", base_path(OWN), f"{base_path(OWN)}lab"])
def test_many_large_cookies_are_taken_away_again(
    site: HostileSite, context: BrowserContext, place: str
) -> None:
    site.open(context).evaluate(SET_COOKIES, [150, 4_000, place])
    reader = context.new_page()
    answer = reader.goto(f"{site.own}lab/tree")
    assert answer is not None
    assert answer.status == 431
    wait_until(lambda: {cookie["name"] for cookie in context.cookies()} == GRANTS)
    again = reader.goto(f"{site.own}lab/tree")
    assert again is not None
    assert again.status == 200


def test_large_cookies_of_what_a_page_asks_for_are_taken_away_too(
    site: HostileSite, context: BrowserContext
) -> None:
    site.open(context).evaluate(SET_COOKIES, [150, 4_000, f"{base_path(OWN)}api"])
    reader = context.new_page()
    reader.goto(f"{site.own}lab")
    assert reader.evaluate("fetch('api/kernels').then((answer) => answer.status)") == 431
    wait_until(lambda: context.cookies() == [])
