"""Visits of every page in Chromium: what the first load of each takes, and what each role's pages ask.

A cold load begins in a browser that has nothing but its session. Chromium takes gzip only then, so that bytes
are those of clients without Brotli. A page is there once it has its title and nothing on it is being loaded; it
is interactive when its main thread has also done its last long task.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.chromium import chromium_path
from tests.e2e.overlays import ESCAPES_MAX, FIND, hold_changes
from tests.e2e.walking import FORMS, LEAVE

FLAGS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
LANGUAGES: Final = ("en-US", "zh-CN")
PATIENCE_MS: Final = 180_000
REACTION_MS: Final = 150
"""How long the browser is given to say how long an interaction took."""
CLICK_MS: Final = 2_000
"""How long a control may be covered by another before it is left out."""
REPEATS: Final = 3
VOLATILE: Final = ("since", "until")
"""Questions that differ in these only are one."""
FIRST: Final = "/security"
"""Where a walk through the pages begins."""
ELSEWHERE: Final = ("/wait", "/logs", "/follow", "/ws")
"""Answered by the live process."""
WATCH: Final = """
window.seen = { shift: 0, slowest: 0, busyUntil: 0 };
const watch = (type, take, more) => new PerformanceObserver((list) => list.getEntries().forEach(take))
  .observe({ type, buffered: true, ...more });
watch("layout-shift", (each) => { if (!each.hadRecentInput) seen.shift += each.value; });
watch("longtask", (each) => { seen.busyUntil = each.startTime + each.duration; });
watch("event", (each) => { if (each.interactionId) seen.slowest = Math.max(seen.slowest, each.duration); },
  { durationThreshold: 16 });
"""
THERE: Final = """() => {
  const busy = document.querySelector("[aria-busy=true], [data-left], .ant-skeleton, [role=status][aria-label]");
  return document.querySelectorAll("h1").length === 1 && !busy && performance.now();
}"""
CONTROLS: Final = (
    "header button",
    "main [role=tab][aria-selected=false]",
    "main th button",
)
INPUTS: Final = "main input[type=search]:visible, main input[type=text]:visible:not([readonly])"


@dataclass(frozen=True, slots=True)
class Visit:
    """One cold load."""

    shown_ms: float
    interactive_ms: float
    requests: int
    sent_bytes: int
    """All of them, as sent, with their heads."""
    program_bytes: int
    """Without their heads and answers of REST."""
    layout_shift: float
    interaction_ms: float
    """The slowest control, the median of three tries."""
    main_thread_ms: float
    """CPU of the page's main thread until it was interactive."""


@dataclass(slots=True)
class _Traffic:
    """What a page has sent for."""

    kinds: dict[str, bool] = field(default_factory=dict)
    """By request, whether it is an answer of REST."""
    heads: dict[str, int] = field(default_factory=dict)
    sent_bytes: int = 0
    program_bytes: int = 0

    def listen(self, session: Any) -> None:
        """Count everything from now on."""
        # The driver marks what it calls, which a method of a class with slots cannot take.
        session.on("Network.requestWillBeSent", lambda event: self._sent(event))  # noqa: PLW0108
        session.on("Network.responseReceived", lambda event: self._answered(event))  # noqa: PLW0108
        session.on("Network.loadingFinished", lambda event: self._finished(event))  # noqa: PLW0108
        session.send("Network.enable")

    def _sent(self, event: Any) -> None:
        address = urlsplit(event["request"]["url"])
        if address.scheme == "http":
            self.kinds[event["requestId"]] = address.path.startswith(("/api/", "/_allauth/"))

    def _answered(self, event: Any) -> None:
        self.heads[event["requestId"]] = int(event["response"]["encodedDataLength"])

    def _finished(self, event: Any) -> None:
        key = event["requestId"]
        if key in self.kinds:
            length = int(event["encodedDataLength"])
            self.sent_bytes += length
            self.program_bytes += 0 if self.kinds[key] else max(length - self.heads[key], 0)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the distribution's browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def seated(browser: Browser, url: str, client: Any, language: str) -> Iterator[Page]:
    """Provide a page of somebody who has signed in and loaded nothing."""
    (cookie,) = client.cookies.values()
    context = browser.new_context(
        locale=language,
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
        extra_http_headers={"Accept-Encoding": "gzip"},
    )
    context.set_default_timeout(PATIENCE_MS)
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": url}])
    page = context.new_page()
    page.add_init_script(WATCH)
    hold_changes(page)
    yield page
    context.close()


def places_in(browser: Browser, url: str, client: Any) -> list[str]:
    """Return the address of every page that this person may open without a name of something."""
    with seated(browser, url, client, LANGUAGES[0]) as page:
        page.goto(url)
        _wait(page)
        named = page.locator("nav a").evaluate_all("links => links.map(link => link.pathname)")
    return list(dict.fromkeys([*named, *FORMS]))


def visit(browser: Browser, url: str, client: Any, place: str, language: str) -> Visit:
    """Load one page cold and use it."""
    with seated(browser, url, client, language) as page:
        session, traffic = page.context.new_cdp_session(page), _Traffic()
        traffic.listen(session)
        session.send("Performance.enable")
        page.goto(f"{url}{place}")
        shown_ms = _wait(page)
        page.wait_for_timeout(REACTION_MS)
        busy_until = float(page.evaluate("seen.busyUntil"))
        busy_ms = 1000 * _metric(session, "ThreadTime")
        requests, sent, own = len(traffic.kinds), traffic.sent_bytes, traffic.program_bytes
        shift = float(page.evaluate("seen.shift"))
        return Visit(
            shown_ms=round(shown_ms),
            interactive_ms=round(max(shown_ms, busy_until)),
            requests=requests,
            sent_bytes=sent,
            program_bytes=own,
            layout_shift=round(shift, 4),
            interaction_ms=_slowest_interaction(page),
            main_thread_ms=round(busy_ms),
        )


def asked_by(
    browser: Browser, url: str, client: Any, places: list[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return what each page asks by GET, by its address without what changes from day to day.

    Every tab of a page is opened, and the first thing that its table leads to.
    """
    found: dict[str, dict[str, str]] = {}
    with seated(browser, url, client, LANGUAGES[0]) as page:
        asked: list[str] = []
        page.on("response", lambda answer: _note(answer, url, asked))
        page.goto(f"{url}{FIRST}")
        _wait(page)
        found["the first page"] = {_lasting(address): address for address in asked}
        waiting = [*(place for place in places if place != FIRST), FIRST]
        while waiting:
            place = waiting.pop(0)
            asked.clear()
            page.evaluate(LEAVE, place)
            _wait(page)
            _open_tabs(page)
            found[place] = {_lasting(address): address for address in asked}
            if place in places:
                waiting += _details(page, place)
    return found


def _note(answer: Any, url: str, asked: list[str]) -> None:
    address = answer.url.removeprefix(url)
    path = urlsplit(address).path
    if (
        answer.request.method == "GET"
        and answer.status == 200
        and path.startswith("/api/v1/")
        and not path.endswith(ELSEWHERE)
    ):
        asked.append(address)


def _lasting(address: str) -> str:
    parts = urlsplit(address)
    kept = [(name, each) for name, each in parse_qsl(parts.query) if name not in VOLATILE]
    return f"{parts.path}?{urlencode(kept)}" if kept else parts.path


def _details(page: Page, place: str) -> list[str]:
    links = page.locator("main td a").evaluate_all("links => links.map(a => a.pathname)")
    return [link for link in links if link.startswith(f"{place}/")][:1]


def _open_tabs(page: Page) -> None:
    tabs = page.locator("main [role=tab]:not([aria-disabled=true])")
    for number in range(1, tabs.count()):
        _try(partial(tabs.nth(number).click, timeout=CLICK_MS))
        _wait(page)


def _wait(page: Page) -> float:
    """Wait until the page is there; return the milliseconds since its navigation began."""
    return float(page.wait_for_function(THERE, polling="raf").json_value())


def _slowest_interaction(page: Page) -> float:
    """Use what the page has; return what the slowest takes until the next picture.

    Buttons are pressed once each: what they open is drawn for the first time then.
    """
    took = [
        _reaction(page, partial(page.locator(one).first.click, timeout=CLICK_MS))
        for one in CONTROLS
        if page.locator(one).count()
    ]
    if page.locator(INPUTS).count():
        box = page.locator(INPUTS).first
        took.append(_reaction(page, lambda: box.press_sequentially("a", timeout=CLICK_MS)))
    place = urlsplit(page.url)._replace(scheme="", netloc="").geturl()
    page.evaluate("window.holdsChanges = true")
    took += [_opening(page, place, key) for key in page.evaluate(FIND, None)]
    return max(took, default=0.0)


def _opening(page: Page, place: str, key: str) -> float:
    page.evaluate(FIND, key)
    button = page.locator("[data-opener]")
    took = _reaction(page, partial(button.click, timeout=CLICK_MS), 1) if button.count() else 0.0
    for _ in range(ESCAPES_MAX):
        page.keyboard.press("Escape")
    if not page.url.endswith(place):
        page.evaluate(LEAVE, place)
        _wait(page)
    return took


def _reaction(page: Page, act: Callable[[], None], repeats: int = REPEATS) -> float:
    tries = []
    for _ in range(repeats):
        page.evaluate("seen.slowest = 0")
        if not _try(act):
            break
        page.wait_for_timeout(REACTION_MS)
        tries.append(float(page.evaluate("seen.slowest")))
        page.keyboard.press("Escape")
    return median(tries) if tries else 0.0


def _try(act: Callable[[], None]) -> bool:
    """Use a control; False where another lies over it, or it is not there any more."""
    try:
        act()
    except PlaywrightError:
        return False
    return True


def _metric(session: Any, name: str) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next((float(each["value"]) for each in metrics if each["name"] == name), 0.0)
