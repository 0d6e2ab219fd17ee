"""Quotas in a real browser: cells edited together, previewed, saved with a reason, undone."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.story import Person, SitDown, press
from tests.e2e.words import Words, chinese_first
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


def read_ceilings(someone: Person) -> list[Any]:
    """Return all ceilings, as the page's own session reads them."""
    rows = someone.page.request.get(f"{someone.platform.url}/api/v1/quotas").json()
    return [(row["id"], row["ceiling"]) for row in rows]


def preview(page: Page, said: Any) -> Any:
    """Look at the effect of what was typed, and return the dialog that shows it."""
    press(page, said["editor"]["preview"])
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("region", name=said["preview"]["effect"])).to_be_visible()
    return dialog


@chinese_first
def test_two_cells_are_edited_previewed_saved_with_a_reason_and_undone(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said, reason = words.texts("features/quotas"), f"more nodes {words.language}"
    someone = person(platform, words)
    someone.sign_in("admin")
    page = someone.page
    page.goto(f"{platform.url}/quotas")
    page.get_by_role("link", name=said["editor"]["open"], exact=True).click()
    before = read_ceilings(someone)
    cells = page.locator('input[data-field="ceiling"]')
    first = cells.nth(0)
    first.fill("1001")
    first.press("Enter")
    expect(cells.nth(1)).to_be_focused()
    page.keyboard.type("1002")
    page.keyboard.press("Tab")
    expect(page.locator('[data-changed="true"]')).to_have_count(2)

    dialog = preview(page, said)
    assert read_ceilings(someone) == before
    dialog.get_by_label(said["preview"]["reason"]).fill(reason)
    dialog.locator(".ant-btn-primary").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_text(said["editor"]["unchanged"])).to_be_visible()
    after = read_ceilings(someone)
    assert len(set(before) - set(after)) == 2

    press(page, said["editor"]["close"])
    page.get_by_role("tab", name=said["tab"]["history"], exact=True).click()
    history = page.get_by_test_id("quota-history")
    row = history.get_by_role("row").filter(has_text=reason)
    expect(row).to_contain_text("→")
    row.get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("region", name=said["preview"]["effect"])).to_be_visible()
    dialog.locator(".ant-btn-primary").click()
    expect(dialog).to_be_hidden()
    expect(row).to_contain_text(said["history"]["undone"])
    assert read_ceilings(someone) == before
