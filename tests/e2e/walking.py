"""Going through the pages: what the navigation names, what lists lead to, and what page heads open."""

from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page, expect

from tests.e2e.story import Person

FORMS: Final = ("/notebooks/new", "/jobs/new", "/nodes/map", "/security", "/ssh-keys")
"""What the navigation does not name, and everybody may open."""
WITHOUT_DIALOGS: Final = {"/files"}
"""The buttons at their heads do something else, such as to ask for files."""
WIDTH: Final = 1366
PHONE: Final = 390
HEIGHT: Final = 900
LEAVE: Final = """place => {
    if (location.pathname === place) return;
    for (const title of document.querySelectorAll("h1")) title.dataset.left = "";
    history.pushState(null, "", place);
}"""
"""The old page stays until the new one's program has arrived; its title is marked."""
SETTLE: Final = """() => Promise.allSettled(
    document.getAnimations()
        .filter(each => each.effect.getComputedTiming().iterations !== Infinity)
        .map(each => each.finished)
)"""
"""Colours on their way to others are no colours of a theme."""


def places_of(page: Page) -> list[str]:
    """Return the address of every page that this reader may open without a name of something."""
    named = page.locator("nav a").evaluate_all("links => links.map(link => link.pathname)")
    assert len(named) > len(FORMS)
    return list(dict.fromkeys([*named, *FORMS]))


def go(someone: Person, place: str) -> None:
    """Go to a page as its links do, without loading the pages' programs again, and see it arrive."""
    page = someone.page
    page.evaluate(LEAVE, place)
    expect(page).to_have_url(someone.platform.url + place)
    see_arrived(someone)


def see_arrived(someone: Person) -> None:
    """Wait until the page has everything and nothing on it moves."""
    page = someone.page
    ui = someone.words.texts("shared/ui")
    expect(page.locator("h1:not([data-left])")).to_have_count(1)
    expect(page.locator("[data-left]")).to_have_count(0)
    expect(page.get_by_role("status", name=ui["loading"], exact=True)).to_have_count(0)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.evaluate(SETTLE)


def opened_dialogs(page: Page, place: str) -> Iterator[str]:
    """Open each dialog that the head of the page offers, yield what its button says, and close it."""
    if place in WITHOUT_DIALOGS:
        return
    buttons = page.locator("main header button:visible")
    for number in range(buttons.count()):
        button = buttons.nth(number)
        if button.get_attribute("aria-haspopup") or button.is_disabled():
            continue
        name = button.inner_text()
        button.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        page.evaluate(SETTLE)
        yield name
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def details_on(page: Page, place: str) -> list[str]:
    """Return the address of the first thing that the page's table leads to."""
    links = page.locator("main td a:visible").evaluate_all("links => links.map(a => a.pathname)")
    return [link for link in links if link.startswith(f"{place}/")][:1]
