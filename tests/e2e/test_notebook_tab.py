"""A notebook's own tab: what it says when the notebook is stopped, and the way back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SitDown = Callable[[Launched, Words], Person]
SHIFT_MAX: Final = 0.1
"""Cumulative layout shift that readers do not notice (web.dev, Core Web Vitals)."""
OBSERVE_SHIFTS: Final = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shifted += entry.value;
  }
}).observe({ type: 'layout-shift', buffered: true });
"""


@dataclass(frozen=True, slots=True)
class TabWords:
    """Names in a stopped notebook's tab and on the page that it leads to."""

    words: Words
    username: str
    is_stopped: str
    start: str
    start_and_return: str
    port_silent: str
    to_notebook: str


TABS: Final = (
    TabWords(
        words=ENGLISH,
        username=organisation.TEAMS[1].people[2],
        is_stopped="tab en is stopped",
        start="Start",
        start_and_return="Start and go back",
        port_silent="Nothing answers on port 6006",
        to_notebook="To the notebook's page",
    ),
    TabWords(
        words=CHINESE,
        username=organisation.TEAMS[1].people[3],
        is_stopped="tab zh-CN 已停止",
        start="启动",
        start_and_return="启动并返回",
        port_silent="端口 6006 没有响应",
        to_notebook="前往 Notebook 页面",
    ),
)


@pytest.mark.parametrize("said", TABS, ids=["en", "zh-CN"])
def test_tab_of_a_stopped_notebook_leads_back_into_it(
    platform: Launched, person: SitDown, said: TabWords
) -> None:
    someone = person(platform, said.words)
    someone.sign_in(said.username)
    someone.create_notebook(f"tab {said.words.language}")
    lab = someone.open_notebook()
    address = someone.page.url
    someone.stop_notebook()

    lab.reload()

    expect(lab.get_by_role("heading")).to_have_text(said.is_stopped)
    expect(lab.locator("html")).to_have_attribute("lang", said.words.language)
    lab.get_by_role("link", name=said.start, exact=True).click()
    expect(lab).to_have_url(f"{address}?start=lab")
    lab.get_by_role("button", name=said.start_and_return, exact=True).click()
    expect(lab.locator(".jp-DirListing-content").first).to_be_visible()
    someone.stop_notebook()


@pytest.mark.parametrize("said", TABS, ids=["en", "zh-CN"])
def test_port_without_a_server_says_so_and_nothing_jumps_while_a_notebook_starts(
    platform: Launched, person: SitDown, said: TabWords
) -> None:
    someone = person(platform, said.words)
    someone.sign_in(said.username)
    page = someone.page
    page.add_init_script(OBSERVE_SHIFTS)
    page.goto(f"{platform.url}/notebooks/new")
    page.get_by_role("textbox", name=said.words.name, exact=True).fill("quiet")
    ports = page.get_by_role("combobox", name="Ports" if said.words is ENGLISH else "端口")
    ports.fill("6006")
    ports.press("Enter")
    page.get_by_role("button", name=said.words.create_notebook, exact=True).click()
    page.wait_for_url("**/notebooks/0*")
    begin = _shifted(page)
    someone.sees_state("running")
    button = page.get_by_role("button", name="6006")
    expect(button).to_be_visible()
    assert _shifted(page) - begin <= SHIFT_MAX

    with page.expect_popup() as popup:
        button.click()

    expect(popup.value.get_by_role("heading")).to_have_text(said.port_silent)
    back = popup.value.get_by_role("link", name=said.to_notebook)
    expect(back).to_have_attribute("href", page.url)
    someone.stop_notebook()


def _shifted(page: Page) -> float:
    """Return how far the page has moved by itself so far."""
    return float(page.evaluate("window.shifted"))
