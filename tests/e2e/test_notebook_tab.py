"""A notebook's own tab: what it says when the notebook is stopped, and the way back."""

from typing import Final, cast

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.story import SitDown
from tests.e2e.words import Words, both, filled
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SHIFT_MAX: Final = 0.1
"""Cumulative layout shift that readers do not notice (web.dev, Core Web Vitals)."""
OBSERVE_SHIFTS: Final = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const what = entry.sources.map(({ node, previousRect, currentRect }) =>
      `${node?.innerText?.slice(0, 40) ?? node?.nodeName}: ${previousRect.y} -> ${currentRect.y}`);
    window.shifts.push([entry.value, ...what]);
  }
}).observe({ type: 'layout-shift', buffered: true });
"""


MEMBERS: Final = {
    "en": organisation.TEAMS[1].people[2],
    "zh-CN": organisation.TEAMS[1].people[3],
}


@both
def test_tab_of_a_stopped_notebook_leads_back_into_it(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.portal_texts("gateway")
    someone = person(platform, words)
    someone.sign_in(MEMBERS[words.language])
    name = f"tab {words.language}"
    someone.create_notebook(name)
    lab = someone.open_notebook()
    address = someone.page.url
    someone.stop_notebook()

    lab.reload()

    expect(lab.get_by_role("heading")).to_have_text(
        filled(said["gateway.stopped.title"], name=name)
    )
    expect(lab.locator("html")).to_have_attribute("lang", words.language)
    lab.get_by_role("link", name=said["gateway.start"], exact=True).click()
    expect(lab).to_have_url(f"{address}?start=lab")
    lab.get_by_role(
        "button", name=words.texts("features/environments")["return"]["start"], exact=True
    ).click()
    expect(lab.locator(".jp-DirListing-content").first).to_be_visible()
    someone.stop_notebook()


@both
def test_port_without_a_server_says_so_and_nothing_jumps_while_a_notebook_starts(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.portal_texts("gateway")
    someone = person(platform, words)
    someone.sign_in(MEMBERS[words.language])
    page = someone.page
    page.add_init_script(OBSERVE_SHIFTS)
    page.goto(f"{platform.url}/notebooks/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill("quiet")
    ports = page.get_by_role("combobox", name=words.texts("shared/submission")["ports"]["label"])
    ports.fill("6006")
    ports.press("Enter")
    page.get_by_role("button", name=words.create_notebook, exact=True).click()
    page.wait_for_url("**/notebooks/0*")
    begin = len(_shifts(page))
    someone.sees_state("running")
    button = page.get_by_role("button", name="6006")
    expect(button).to_be_visible()
    shifts = _shifts(page)[begin:]
    assert sum(float(by) for by, *_ in shifts) <= SHIFT_MAX, shifts

    with page.expect_popup() as popup:
        button.click()

    expect(popup.value.get_by_role("heading")).to_have_text(
        filled(said["gateway.port_silent.title"], port=6006)
    )
    back = popup.value.get_by_role("link", name=said["gateway.back_to_notebook"])
    expect(back).to_have_attribute("href", page.url)
    someone.stop_notebook()


def _shifts(page: Page) -> list[list[str]]:
    """Return how far the page moved by itself each time, and what stood where before and after."""
    return cast("list[list[str]]", page.evaluate("window.shifts"))
