"""Changing work in the browser: more time by request and approval, changes while it waits, limits."""

from typing import Any, Final

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, SitDown, choose, press
from tests.e2e.words import Words, chinese_first, english_first
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
HEAD, DEVELOPER = organisation.TEAMS[1].people[:2]
LIMITED: Final = {
    "en": organisation.TEAMS[1].people[8],
    "zh-CN": organisation.TEAMS[1].people[9],
}
HOUR_S: Final = 3600
BEYOND_POOL_H: Final = 350
"""The pool allows 336 h, a group admin one day more."""


def read_job(someone: Person) -> Any:
    """Return the job whose page is open, as the page's own session reads it."""
    job = someone.page.url.rstrip("/").split("/")[-1].split("?")[0]
    return someone.page.request.get(f"{someone.platform.url}/api/v1/jobs/{job}").json()


@chinese_first
def test_more_time_is_requested_approved_and_in_force(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said, decisions = words.texts("shared/submission")["extend"], words.texts("features/approvals")
    developer, head = person(platform, words), person(platform, words)
    name = f"needs more time {words.language}"
    developer.sign_in(DEVELOPER)
    developer.submit_job(name, "sleep 600")
    developer.sees_state("running")
    page = developer.page
    press(page, words.texts("features/jobs")["more"])
    press(page, said["open"])
    page.get_by_role("spinbutton", name=said["hours"]).fill(str(BEYOND_POOL_H))
    press(page, said["action"])
    page.get_by_role("textbox", name=said["comment"]).fill("one more epoch")
    press(page, said["request"])
    expect(page.get_by_test_id("pending-request")).to_be_visible()

    head.sign_in(HEAD)
    head.page.get_by_role("link", name=words.texts("app")["places"]["requests"]).click()
    row = head.page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("one more epoch")
    press(row, decisions["approve"])
    dialog = head.page.get_by_role("dialog")
    press(dialog, decisions["approve"])
    expect(dialog).to_be_hidden()

    expect(page.get_by_test_id("pending-request")).to_be_hidden()  # nobody reloads it
    job = read_job(developer)
    assert job["time_limit_s"] == BEYOND_POOL_H * HOUR_S
    assert job["state"] == "running"
    developer.call("POST", f"jobs/{job['id']}/cancel")


@english_first
def test_a_waiting_job_is_changed(
    platform: Launched, person: SitDown, robot: Pipeline, words: Words
) -> None:
    said = words.texts("shared/submission")["change"]
    head = person(platform, words)
    head.sign_in(organisation.TEAMS[0].people[0])  # of the robot's group
    waiting = robot.started(f"waits to be changed {words.language}", "sleep 1", held=True)
    page = head.page
    page.goto(f"{platform.url}/jobs/{waiting}")
    press(page, words.texts("features/jobs")["more"])
    press(page, said["open"])
    dialog = page.get_by_role("dialog")
    choose(dialog, said["priority"], words.texts("shared/workload")["priority"]["low"])
    press(dialog, said["action"])
    expect(dialog).to_be_hidden()
    assert robot.get(f"/jobs/{waiting}")["priority"] == "low"
    robot.cancel(waiting)


@chinese_first
def test_a_group_admin_limits_a_member(platform: Launched, person: SitDown, words: Words) -> None:
    said, member = words.texts("features/quotas"), LIMITED[words.language]
    head = person(platform, words)
    head.sign_in(HEAD)
    page = head.page
    page.goto(f"{platform.url}/quotas?tab=members")
    press(page, said["member"]["addOne"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name=said["member"]["column"]).fill(member)
    found = page.locator(".ant-select-dropdown:visible .ant-select-item-option")
    expect(found).to_have_count(1)
    found.click()
    running = dialog.get_by_role("spinbutton", name=said["member"]["running_max"], exact=True)
    running.fill("3")
    press(dialog, said["save"])
    expect(dialog).to_be_hidden()

    def is_limited() -> bool:
        rows = page.request.get(f"{platform.url}/api/v1/member-limits").json()
        return (member, 3) in [(row["user"]["username"], row["running_max"]) for row in rows]

    wait_until(is_limited)
