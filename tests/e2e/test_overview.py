"""The operator's overview and the map of cards in the seeded organisation, with axe; in both languages."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SitDown = Callable[[Launched, Words], Person]
WORK = "seen on the map"
CARDS_MAX = 16
"""Of one group in the demo, in each direction."""


def test_an_operator_goes_from_a_figure_to_the_gpu_behind_it(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    admin = person(platform, ENGLISH)
    admin.sign_in("admin")
    page = admin.page
    expect(page.get_by_role("region", name="Is everything well?")).to_be_visible()
    teams = page.get_by_role("region", name="Groups by GPUs held now")
    work = robot.started(WORK, "sleep 120", gpus=1, time_limit_s=600)
    # Shown without a reload, and with the way to the cards.
    link = teams.get_by_role("link", name=organisation.TEAMS[0].title_en)
    expect(link).to_be_visible()
    assert_clean(page)

    link.click()
    expect(page.get_by_role("heading", name="Card map", exact=True)).to_be_visible()
    cards = page.get_by_role("application")
    expect(cards).to_be_visible()
    assert_clean(page)
    walk_to(page, WORK)
    page.keyboard.press("Enter")
    details = page.get_by_test_id("card-details")
    expect(details.get_by_role("link", name=WORK)).to_be_visible()
    assert "card=" in page.url
    robot.cancel(work)

    head = person(platform, CHINESE)
    head.sign_in(organisation.TEAMS[0].people[0])
    expect(head.page.get_by_role("heading", name="我管理的用户组", exact=True)).to_be_visible()
    expect(head.page.get_by_role("region", name="各资源池的卡")).to_have_count(0)
    assert_clean(head.page)
    head.page.goto(f"{platform.url}/nodes/map?view=table")
    expect(head.page.get_by_role("table", name="以表格列出的卡")).to_be_visible()
    assert_clean(head.page)


def walk_to(page: Page, work: str) -> None:
    """Go over the map with the arrow keys until the card of this work has the focus."""
    cards = page.get_by_role("application")
    cards.focus()
    page.keyboard.press("Home")
    found = page.get_by_role("status").filter(has_text="#")
    expect(found).to_have_count(1)
    for key in [*["ArrowRight"] * CARDS_MAX, "Home", *["ArrowDown"] * CARDS_MAX]:
        if work in found.inner_text():
            return
        page.keyboard.press(key)
    raise AssertionError(found.inner_text())


def assert_clean(page: Page) -> None:
    """Ask axe: no violation of WCAG 2 or of good practice."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
