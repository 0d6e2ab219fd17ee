"""Going through the pages: what the navigation names, their tabs, and what lists lead to."""

from collections.abc import Iterator
from typing import Final

from playwright.sync_api import Page, expect

from tests.e2e.story import Person

FORMS: Final = (
    *("/notebooks/new", "/jobs/new", "/nodes/map", "/nodes?as=list", "/security", "/ssh-keys"),
)
"""What the navigation does not name, and everybody may open."""
WIDTH: Final = 1366
PHONE: Final = 390
HEIGHT: Final = 900
LEAVE: Final = """place => {
    if (location.pathname === place) return;
    for (const title of document.querySelectorAll("h1")) title.dataset.left = "";
    history.pushState(null, "", place);
}"""
"""The old page stays until the new one's program has arrived; its title is marked."""
SETTLE: Final = """async () => {
    for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);
    await Promise.allSettled(
        document.getAnimations()
            .filter(each => each.effect.getComputedTiming().iterations !== Infinity)
            .map(each => each.finished)
    );
}"""
"""Colours on their way to others are no colours of a theme; another theme is drawn in the next frames."""


def places_of(page: Page) -> list[str]:
    """Return the address of every page that this reader may open without a name of something."""
    links = page.locator("nav a")
    links.nth(len(FORMS)).wait_for(state="attached")
    named = links.evaluate_all("links => links.map(link => link.pathname)")
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


def views_of(someone: Person) -> Iterator[str]:
    """Yield nothing for the page as it arrived, then the name of each further tab, once it is shown."""
    tabs = someone.page.locator("main [role=tab]:not([aria-disabled=true])")
    yield ""
    for number in range(1, tabs.count()):
        # A button whose change is held back goes on turning.
        if someone.page.locator("main .ant-btn-loading").count():
            someone.page.reload()
            see_arrived(someone)
        tabs.nth(number).click()
        see_arrived(someone)
        yield tabs.nth(number).inner_text()


def details_on(page: Page, place: str) -> list[str]:
    """Return the address of the first thing that the page's table leads to."""
    links = page.locator("main td a:visible").evaluate_all("links => links.map(a => a.pathname)")
    return [link for link in links if link.startswith(f"{place.partition('?')[0]}/")][:1]
