"""The files of a home on their page: uploaded, looked into, renamed, downloaded, deleted and brought back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from deploy.onebox.options import REPOSITORY
from portal.demo import organisation
from tests.e2e.story import Person
from tests.e2e.words import Words, english_first
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SitDown = Callable[[Launched, Words], Person]
TEXTS: Final = REPOSITORY / "frontend/src/features/files/locales"


def texts(words: Words) -> Any:
    """Return what the page says."""
    return json.loads((TEXTS / f"{words.language}.json").read_text(encoding="utf-8"))


def act(page: Page, said: Any, name: str, action: str) -> None:
    """Choose an action from the menu of an entry."""
    page.get_by_role("button", name=said["actionsOf"].replace("{{name}}", name)).click()
    page.get_by_role("menuitem", name=action, exact=True).click()


@english_first
def test_files_go_up_are_seen_renamed_fetched_and_come_back(
    platform: Launched, person: SitDown, words: Words, tmp_path: Path
) -> None:
    said = texts(words)
    folder = tmp_path / f"run {words.language}"
    (folder / "深").mkdir(parents=True)
    (folder / "scores.csv").write_text("name,score\nli.wei,42\n")
    (folder / "深" / "page.html").write_text("<script>document.title = 'taken over'</script>")
    someone = person(platform, words)
    someone.sign_in(organisation.TEAMS[1].people[2])
    page = someone.page
    page.goto(f"{platform.url}/files")
    page.get_by_test_id("upload-folder").set_input_files(folder)
    page.get_by_role("button", name=folder.name, exact=True).click()

    page.get_by_role("button", name="scores.csv", exact=True).click()
    expect(page.get_by_role("cell", name="li.wei")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="深", exact=True).click()
    page.get_by_role("button", name="page.html", exact=True).click()
    expect(page.get_by_text("document.title = 'taken over'")).to_be_visible()
    assert "taken over" not in page.title()
    page.keyboard.press("Escape")

    act(page, said, "page.html", said["rename"]["action"])
    page.get_by_label(said["column"]["name"], exact=True).fill("报告 1.html")
    page.get_by_role("button", name=said["rename"]["action"], exact=True).click()
    expect(page.get_by_role("button", name="报告 1.html", exact=True)).to_be_visible()
    with page.expect_download() as fetched:
        page.get_by_role(
            "button", name=said["actionsOf"].replace("{{name}}", "报告 1.html")
        ).click()
        page.get_by_role("link", name=said["download"], exact=True).click()
    assert fetched.value.suggested_filename == "报告 1.html"
    assert "taken over" in fetched.value.path().read_text()

    page.keyboard.press("Escape")
    act(page, said, "报告 1.html", said["delete"])
    # The offer stays while the pointer is on it, however long the list takes to arrive.
    page.get_by_role("button", name=said["undo"], exact=True).hover()
    expect(page.get_by_role("button", name="报告 1.html", exact=True)).to_have_count(0)
    page.get_by_role("button", name=said["undo"], exact=True).click()
    expect(page.get_by_role("button", name="报告 1.html", exact=True)).to_be_visible()
