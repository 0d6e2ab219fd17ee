"""A notebook's own tab: what it says when the notebook is stopped, and the way back."""

from http import HTTPStatus
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.shifts import OBSERVE_SHIFTS, shifts_on
from tests.e2e.story import Person, SitDown, press, unfold
from tests.e2e.words import Words, chinese_first, english_first, filled
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SHIFT_MAX: Final = 0.1
"""Cumulative layout shift that readers do not notice (web.dev, Core Web Vitals)."""

MEMBERS: Final = {
    "en": organisation.TEAMS[1].people[2],
    "zh-CN": organisation.TEAMS[1].people[3],
}


COLLEAGUES: Final = {
    "en": organisation.TEAMS[1].people[4],
    "zh-CN": organisation.TEAMS[1].people[5],
}
TRY_IT: Final = """
async ([own, others]) => {
  const put = await fetch(`${own}api/contents/x.txt`, { method: 'PUT', body: '{}' });
  const socket = await new Promise((resolve) => {
    const opened = new WebSocket(`${own.replace('http', 'ws')}api/events/subscribe`);
    opened.onopen = () => resolve('open');
    opened.onerror = () => resolve('refused');
  });
  const beside = await fetch(others).then(() => 'reached', () => 'refused');
  return [put.status, socket, beside, window.open(others) === null];
}
"""
"""In the colleague's tab: a change, an upgrade, other work of this origin by request and by window."""
OTHER_WORK: Final = "00000000-0000-7000-8000-000000000000"
"""An id that no workload of the test has."""


@chinese_first
def test_colleague_views_a_shared_notebook_and_its_owner_starts_it_from_its_tab(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.portal_texts("gateway")
    someone = person(platform, words)
    someone.sign_in(MEMBERS[words.language])
    name = f"tab {words.language}"
    someone.create_notebook(name)
    lab = someone.open_notebook()
    address = someone.page.url
    colleague = person(platform, words)
    shared = _share(someone, colleague, COLLEAGUES[words.language])
    own = lab.url.partition("lab")[0]
    others = own.replace(address.rpartition("/")[2], OTHER_WORK)
    assert shared.evaluate(TRY_IT, [own, others]) == [403, "refused", "refused", True]
    _end_sharing(someone)
    wait_until(lambda: shared.request.get(shared.url).status == HTTPStatus.UNAUTHORIZED)
    shared.reload()
    expect(shared.get_by_role("heading")).to_have_text(said["gateway.not_open.title"])
    someone.stop_notebook()

    lab.reload()

    expect(lab.get_by_role("heading")).to_have_text(
        filled(said["gateway.stopped.title"], name=name)
    )
    expect(lab.locator("html")).to_have_attribute("lang", words.language)
    lab.get_by_role("link", name=said["gateway.start"], exact=True).click()
    expect(lab).to_have_url(f"{address}?start=lab")
    lab.get_by_role(
        "button", name=words.texts("features/notebooks")["return"]["start"], exact=True
    ).click()
    expect(lab.locator(".jp-DirListing-content").first).to_be_visible()
    someone.stop_notebook()


@english_first
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
    label = words.texts("shared/submission")["ports"]["label"]
    unfold(page, label)
    ports = page.get_by_role("combobox", name=label)
    ports.fill("6006")
    ports.press("Enter")
    page.get_by_role("button", name=words.create_notebook, exact=True).click()
    page.wait_for_url("**/notebooks/0*")
    begin = len(shifts_on(page))
    someone.sees_state("running")
    button = page.get_by_role("button", name="6006")
    expect(button).to_be_visible()
    shifts = shifts_on(page)[begin:]
    assert sum(float(by) for by, *_ in shifts) <= SHIFT_MAX, shifts

    with page.expect_popup() as popup:
        button.click()

    expect(popup.value.get_by_role("heading")).to_have_text(
        filled(said["gateway.port_silent.title"], port=6006)
    )
    back = popup.value.get_by_role("link", name=said["gateway.back_to_notebooks"])
    expect(back).to_have_attribute("href", page.url)
    someone.stop_notebook()


def _share(owner: Person, colleague: Person, username: str) -> Page:
    """Share what the owner's page shows, view only; return the tab in which the colleague sees it."""
    said = owner.words.texts("shared/sharing")
    access = owner.words.texts("features/notebooks")["tab"]["access"]
    owner.page.get_by_role("tab", name=access, exact=True).click()
    panel = owner.page.get_by_test_id("sharing")
    press(panel, said["share"])
    dialog = owner.page.get_by_role("dialog")
    dialog.get_by_role("combobox", name=said["person"]).fill(username)
    options = owner.page.locator(".ant-select-dropdown:visible .ant-select-item-option")
    options.filter(has_text=username).click()
    press(dialog, said["share"])
    link = panel.locator("code").inner_text()
    expect(panel).to_contain_text(said["access"]["view"])

    colleague.sign_in(username)
    colleague.page.goto(f"{owner.platform.url}/notebooks")
    expect(colleague.page.get_by_test_id("received-shares")).to_contain_text(said["access"]["view"])
    colleague.page.goto(link)
    notice = colleague.page.get_by_test_id("shared-with-me")
    with colleague.page.expect_popup() as popup:
        press(notice, owner.words.open)
    shared = popup.value
    expect(shared.locator(".jp-DirListing-content").first).to_be_visible()
    return shared


def _end_sharing(owner: Person) -> None:
    said = owner.words.texts("shared/sharing")
    panel = owner.page.get_by_test_id("sharing")
    panel.get_by_role("button", name=said["end"].partition("{{")[0]).click()
    owner.page.locator(".ant-popover:visible .ant-btn").last.click()
    expect(panel).to_contain_text(said["none"])
