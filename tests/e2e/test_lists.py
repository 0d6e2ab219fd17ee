"""Lists of jobs and of nodes: sorted, narrowed, kept in their address, and acted on many at a time."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from portal.common.clock import now
from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown, press
from tests.e2e.words import ENGLISH, filled
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
HEAD = "li.wei"
TEAM = next(team for team in organisation.TEAMS if HEAD in team.people)
MEMBER = next(name for name in TEAM.people if name != HEAD)
SAID = ENGLISH.texts("shared/lists")
NAMES = ("many-b", "many-c", "many-a")


def test_a_list_keeps_what_was_asked_and_ends_what_it_can(
    platform: Launched, person: SitDown, robot: Pipeline, tmp_path: Path
) -> None:
    end = tmp_path / "end"
    later = (now() + timedelta(hours=1)).isoformat()
    for name in NAMES[:2]:
        robot.started(name, "true", gpus=0, not_before=later)
    script = f"until [ -e {end} ]; do sleep 0.2; done"
    ends_itself = robot.started(NAMES[2], script, gpus=0)
    robot.wait(ends_itself, "running")
    head = person(platform, ENGLISH)
    head.sign_in(HEAD)
    page = head.page
    page.goto(f"{platform.url}/jobs")

    search = page.get_by_role("searchbox")
    search.fill("many-")
    search.press("Enter")
    page.get_by_role("columnheader", name="Name").get_by_role("button").click()

    chip = filled(SAID["chips"]["one"], label="Name", value="many-")
    expect(page).to_have_url(re.compile(r"q=many-.*sort=name"))
    for _ in range(2):
        expect(page.get_by_role("columnheader", name="Name")).to_have_attribute(
            "aria-sort", "ascending"
        )
        expect(rows(page)).to_have_text([re.compile(name) for name in sorted(NAMES)])
        expect(page.get_by_text(chip, exact=True)).to_be_visible()
        page.reload()

    page.get_by_label(SAID["select"]["all"]).check()
    press(page, filled(SAID["bulk"]["action"], action="Cancel", count=3))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).to_have_text(sorted(NAMES))
    end.touch()
    assert robot.wait(ends_itself)["state"] == "succeeded"
    press(dialog, "Cancel")
    expect(dialog.get_by_text("2 of 3 done. 1 refused.")).to_be_visible()
    expect(dialog.get_by_role("listitem").filter(has_text="Refused")).to_contain_text("many-a")
    press(dialog, SAID["bulk"]["close"])
    page.get_by_role("button", name=filled(SAID["chips"]["remove"], filter=chip)).click()
    expect(page).not_to_have_url(re.compile("q="))


def test_views_follow_their_owner_and_serve_the_group(platform: Launched, person: SitDown) -> None:
    head, elsewhere, member = (person(platform, ENGLISH) for _ in range(3))
    head.sign_in(HEAD)
    page = head.page
    page.goto(f"{platform.url}/jobs?q=many-&sort=name")
    press(page, SAID["views"]["label"])
    page.get_by_label(SAID["views"]["name"]).fill("mine by name")
    press(page, SAID["views"]["save"])
    expect(page).to_have_url(re.compile(r"q=many-.*view="))
    view = page.url.rpartition("view=")[2].partition("&")[0]

    elsewhere.sign_in(HEAD)
    elsewhere.page.goto(f"{platform.url}/jobs")
    press(elsewhere.page, SAID["views"]["label"])
    elsewhere.page.get_by_role("button", name="mine by name", exact=True).click()
    expect(elsewhere.page).to_have_url(re.compile(r"q=many-.*sort=name"))
    opening = filled(SAID["views"]["opening"], name="mine by name")
    star = elsewhere.page.get_by_role("button", name=opening)
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    page.goto(f"{platform.url}/jobs")
    expect(page).to_have_url(re.compile(rf"q=many-.*view={view}"))

    group = head.call("GET", "me")["memberships"][0]["group"]["id"]
    head.call("PATCH", f"saved-views/{view}", {"group": group})
    member.sign_in(MEMBER)
    member.page.goto(f"{platform.url}/jobs?view={view}")
    expect(member.page).to_have_url(re.compile(r"q=many-.*sort=name"))
    head.call("DELETE", f"saved-views/{view}")


def test_nodes_as_a_list_are_narrowed_and_held_back_many_at_a_time(
    platform: Launched, person: SitDown
) -> None:
    nodes = ENGLISH.texts("features/nodes")
    operator = person(platform, ENGLISH)
    operator.sign_in(organisation.ADMIN)
    page = operator.page
    page.goto(f"{platform.url}/nodes")
    page.get_by_text(nodes["as"]["list"], exact=True).click()
    expect(rows(page)).to_have_count(4)
    search = page.get_by_role("searchbox")
    search.fill("gpu-dev")
    search.press("Enter")
    expect(page).to_have_url(re.compile(r"as=list.*node=gpu-dev"))
    page.reload()
    expect(rows(page)).to_have_text([re.compile("gpu-dev-1"), re.compile("gpu-dev-2")])

    press(page, SAID["views"]["label"])
    page.get_by_label(SAID["views"]["name"]).fill("development")
    press(page, SAID["views"]["save"])
    expect(page).to_have_url(re.compile("view="))
    view = page.url.rpartition("view=")[2].partition("&")[0]
    page.goto(f"{platform.url}/nodes?view={view}")
    expect(page).to_have_url(re.compile(r"as=list.*node=gpu-dev"))
    operator.call("DELETE", f"saved-views/{view}")

    for action, state in (("cordon", "cordoned"), ("uncordon", "ready")):
        word = nodes["act"][action]["name"]
        page.get_by_label(SAID["select"]["all"]).check()
        press(page, filled(SAID["bulk"]["action"], action=word, count=2))
        dialog = page.get_by_role("dialog")
        press(dialog, word)
        expect(dialog.get_by_text("2 of 2 done.")).to_be_visible()
        press(dialog, SAID["bulk"]["close"])
        said = ENGLISH.texts("shared/cluster")["nodeState"][state]
        expect(rows(page)).to_have_text([re.compile(said), re.compile(said)])


def rows(page: Page) -> Locator:
    return page.locator("tbody tr")
