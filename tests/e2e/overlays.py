"""What the buttons of a page open: dialogs, drawers, questions and menus, and what menus lead to.

Every button is pressed once, and nothing is changed by it: a request that would change something stays
in the browser without an answer. Buttons of the rows of a table count as one.
"""

from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as NothingSeenError

_KINDS: Final = (
    ".ant-modal-wrap",
    ".ant-drawer-open",
    ".ant-popover",
    ".ant-dropdown",
    "[aria-expanded=true] + section",
)
PARTS: Final = ", ".join(_KINDS)
"""Dialogs, drawers, questions, menus, and what folds out beside a list."""
OVERLAY: Final = ", ".join(f"{kind}:visible" for kind in _KINDS)
OPENS_MS: Final = 1_000
"""A button that has opened nothing by then acts at once, unless the page is still at work."""
POLL_MS: Final = 50
RESTS: Final = """() => window.asked === 0 && !document.querySelector("[role=status][aria-label]")
    && scheduler.postTask(() => true, { priority: "background" })"""
"""No request is without its answer, no dialog is on its way, and nothing is left to be drawn."""
ESCAPES_MAX: Final = 3
"""A dialog may ask before it closes."""
HOLD_CHANGES: Final = """(() => {
    const ask = window.fetch;
    const isChange = (sent, init) => {
        const method = (init?.method ?? sent.method ?? "GET").toUpperCase();
        const url = new URL(sent.url ?? sent, location.href);
        return method !== "GET" && !/(dry-run|preview|trial)$/.test(url.pathname);
    };
    const never = new Promise(() => {});
    window.asked = 0;
    window.fetch = async (sent, init) => {
        if (window.holdsChanges && isChange(sent, init)) return never;
        window.asked += 1;
        try {
            return await ask(sent, init);
        } finally {
            window.asked -= 1;
        }
    };
    const open = window.open.bind(window);
    window.open = (...to) => window.holdsChanges ? null : open(...to);
})()"""
"""Except of trials, which change nothing."""
FIND: Final = """wanted => {
    const places = ["main button", "header button", "main [aria-haspopup]"].join();
    const left = "th, form, [role=tablist], [role=radiogroup], [role=dialog], .ant-select, .ant-input-search";
    const SEEN = { visibilityProperty: true };
    const keys = [];
    for (const each of document.querySelectorAll("[data-opener]")) delete each.dataset.opener;
    for (const each of document.querySelectorAll(places)) {
        if (!each.checkVisibility(SEEN) || each.disabled || each.closest(left)) continue;
        if (each.role === "switch" || each.ariaPressed !== null) continue;
        const icon = each.querySelector("[data-icon]")?.dataset.icon;
        if (icon === "copy") continue;
        const where = each.closest("header") && !each.closest("main") ? "top: " : "";
        const words = each.innerText.trim() || icon || each.ariaLabel;
        if (!words) continue; // a part of a picture
        const key = where + words.replaceAll(/\\S*\\d\\S*/g, "…");
        if (key === wanted) each.dataset.opener = "";
        if (key === wanted) return [];
        if (!keys.includes(key)) keys.push(key);
    }
    return keys;
}"""
"""What the buttons of the page say, without numbers and names with numbers; or marks the first that says what is wanted."""


def hold_changes(page: Page) -> None:
    """Have the pages that are loaded from now on able to hold back what would change something."""
    page.add_init_script(HOLD_CHANGES)


def opened_overlays(page: Page, seen: set[str]) -> Iterator[str]:
    """Press every button that is not in `seen`, yield what it says while it is open, and close that."""
    page.evaluate("window.holdsChanges = true")
    for key in page.evaluate(FIND, None):
        if key not in seen:
            seen.add(key)
            yield from _opened_by(page, key)
    page.evaluate("window.holdsChanges = false")


def _opened_by(page: Page, key: str) -> Iterator[str]:
    place = page.url
    overlay = _press(page, key)
    if overlay is None:
        _come_back(page, place)
        return
    yield key
    choices = overlay.locator("[role=menuitem]:not([aria-disabled=true]):not(:has(a))")
    count = 0 if overlay.locator(".ant-dropdown-menu-item-selected").count() else choices.count()
    _close(page)
    for number in range(count):
        menu = _press(page, key)
        assert menu is not None, f"{key} opens its menu once only"
        choice = menu.locator("[role=menuitem]:not([aria-disabled=true]):not(:has(a))").nth(number)
        name = choice.inner_text()
        choice.click()
        expect(page.locator(".ant-dropdown:visible")).to_have_count(0)
        if _seen(page):
            yield f"{key}: {name}"
            _close(page)
        _come_back(page, place)


def _press(page: Page, key: str) -> Locator | None:
    page.evaluate(FIND, key)
    button = page.locator("[data-opener]")
    if button.count() == 0:  # what stood there has changed since
        return None
    button.click()
    return _seen(page)


def _seen(page: Page) -> Locator | None:
    overlay = page.locator(OVERLAY)
    try:
        overlay.first.wait_for(timeout=OPENS_MS)
    except NothingSeenError:
        page.wait_for_function(RESTS, polling=POLL_MS)
        if overlay.count() == 0:
            return None
    expect(overlay.locator("[role=status][aria-label]")).to_have_count(0)  # loading
    return overlay


def _close(page: Page) -> None:
    overlay = page.locator(OVERLAY)
    for _ in range(ESCAPES_MAX):
        page.keyboard.press("Escape")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        if overlay.count() == 0:
            return
    expect(overlay).to_have_count(0)


def _come_back(page: Page, place: str) -> None:
    if page.url != place:
        page.evaluate("place => history.pushState(null, '', place)", place)
        expect(page.locator("h1")).to_have_count(1)
