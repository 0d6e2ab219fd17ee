"""Schedules of notebooks, and what becomes of work whose node is silent, in both languages."""

import json
from typing import Any, Final

import pytest
from playwright.sync_api import Route, expect

from portal.demo import organisation
from tests.e2e.story import SitDown, choose, press, unfold
from tests.e2e.words import Words, chinese_first, english_first, filled
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
MEMBER: Final = organisation.TEAMS[3].people[3]
SILENT_SINCE: Final = "2026-11-22T08:00:00Z"


@english_first
def test_a_notebook_gets_its_schedule_in_the_form_and_changes_it_on_its_page(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("features/notebooks")["schedule"]
    someone = person(platform, words)
    someone.sign_in(MEMBER)
    page = someone.page
    page.goto(f"{platform.url}/notebooks/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill(f"by day {words.language}")
    unfold(page, said["title"])
    page.get_by_role("switch", name=said["title"], exact=True).click()
    page.get_by_label(said["stop"], exact=True).fill("09:00")
    press(page, words.create_notebook)
    expect(page.get_by_text(said["sameTime"])).to_be_visible()
    page.get_by_label(said["stop"], exact=True).fill("18:30")
    press(page, words.create_notebook)

    details = words.texts("features/notebooks")["tab"]["details"]
    page.get_by_role("tab", name=details, exact=True).click()
    panel = page.get_by_role("region", name=said["title"], exact=True)
    expect(panel).to_contain_text("09:00–18:30")
    expect(panel).to_contain_text(said["nextStop"])
    press(panel, said["edit"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(said["stop"], exact=True).fill("")
    press(dialog, said["save"])
    expect(panel).to_contain_text("09:00–…")
    press(panel, said["remove"])
    press(page.get_by_role("tooltip"), words.texts("shared/ui")["remove"])
    expect(panel).to_contain_text(said["none"])
    someone.sees_state("running")
    someone.stop_notebook()


@chinese_first
def test_work_says_whether_it_stays_on_a_silent_node(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("shared/submission")
    someone = person(platform, words)
    someone.sign_in(MEMBER)
    page = someone.page
    page.goto(f"{platform.url}/jobs/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill(f"moves {words.language}")
    unfold(page, said["silence"]["label"])
    choose(page, said["silence"]["label"], said["silence"]["replace"])
    with page.expect_response(lambda answer: answer.url.endswith("/api/v1/jobs")) as sent:
        press(page, words.submit_job)
    assert json.loads(sent.value.request.post_data or "{}")["silence"] == "replace"
    someone.sees_state("succeeded")


@english_first
def test_a_silent_node_is_declared_lost_by_its_name_only(
    platform: Launched, person: SitDown, words: Words
) -> None:
    """The page is shown a silent node; the server, where the node is well, refuses to lose it."""
    said = words.texts("features/nodes")
    someone = person(platform, words)
    someone.sign_in(organisation.ADMIN)
    page = someone.page
    page.route("**/api/v1/nodes", show_silent)
    page.goto(f"{platform.url}/nodes")
    kept = filled(said["silent"]["kept_other"], count=2)
    expect(page.get_by_text(kept)).to_be_visible()
    press(page, said["declareLost"]["name"])
    dialog = page.get_by_role("dialog")
    name = dialog.get_by_role("textbox", name=said["declareLost"]["confirm"])
    name.fill("another node")
    press(dialog, said["declareLost"]["name"])
    expect(dialog.get_by_role("alert").first).to_be_visible()
    expect(dialog).to_be_visible()
    ui = words.texts("shared/ui")
    press(dialog, ui["cancel"])
    press(page, ui["unsaved"]["leave"])
    expect(dialog).to_be_hidden()


def show_silent(route: Route) -> None:
    """Answer with the real nodes, the first of them silent while it holds work."""
    answer = route.fetch()
    body: Any = answer.json()
    body["results"][0] |= {"state": "lost", "silent_since": SILENT_SINCE, "containers_held": 2}
    route.fulfill(response=answer, json=body)
