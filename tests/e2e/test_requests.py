"""Changing work in the browser: more time by request and approval, changes while it waits, limits."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SitDown = Callable[[Launched, Words], Person]
HEAD, DEVELOPER = organisation.TEAMS[1].people[:2]
HOUR_S: Final = 3600
BEYOND_POOL_H: Final = 350
"""The pool allows 336 h, a group admin one day more."""

NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "more_time": "More time",
        "hours": "Time limit (hours)",
        "set_limit": "Set time limit",
        "reason": "Reason",
        "send": "Send request",
        "approve": "Approve",
        "requests": "Requests",
        "change": "Change",
        "save_changes": "Save changes",
        "priority": "Priority",
        "low": "Low",
        "limit_member": "Limit a member",
        "member": "Member",
        "running": "Running",
        "save": "Save limits",
    },
    "zh-CN": {
        "approve": "批准",
        "requests": "申请与审批",
    },
}
EN: Final = NAMES["en"]
ZH: Final = NAMES["zh-CN"]


def read_job(someone: Person) -> Any:
    """Return the job whose page is open, as the page's own session reads it."""
    job = someone.page.url.rstrip("/").split("/")[-1].split("?")[0]
    return someone.page.request.get(f"{someone.platform.url}/api/v1/jobs/{job}").json()


def test_more_time_is_requested_approved_and_in_force(platform: Launched, person: SitDown) -> None:
    developer, head = person(platform, ENGLISH), person(platform, CHINESE)
    developer.sign_in(DEVELOPER)
    developer.submit_job("needs more time", "sleep 600")
    developer.sees_state("running")
    page = developer.page
    page.get_by_role("button", name=EN["more_time"], exact=True).click()
    page.get_by_role("spinbutton", name=EN["hours"]).fill(str(BEYOND_POOL_H))
    page.get_by_role("button", name=EN["set_limit"], exact=True).click()
    page.get_by_role("textbox", name=EN["reason"]).fill("one more epoch")
    page.get_by_role("button", name=EN["send"], exact=True).click()
    expect(page.get_by_test_id("pending-request")).to_be_visible()

    head.sign_in(HEAD)
    head.page.get_by_role("link", name=ZH["requests"]).click()
    row = head.page.get_by_role("row").filter(has_text="needs more time")
    expect(row).to_contain_text("one more epoch")
    row.get_by_role("button", name=ZH["approve"]).click()
    dialog = head.page.get_by_role("dialog")
    dialog.get_by_role("button", name=ZH["approve"]).click()
    expect(dialog).to_be_hidden()

    expect(page.get_by_test_id("pending-request")).to_be_hidden()  # nobody reloads it
    job = read_job(developer)
    assert job["time_limit_s"] == BEYOND_POOL_H * HOUR_S
    assert job["state"] == "running"
    page.request.post(f"{platform.url}/api/v1/jobs/{job['id']}/cancel", headers=csrf_of(developer))


def test_a_waiting_job_is_changed(platform: Launched, person: SitDown, robot: Pipeline) -> None:
    head = person(platform, ENGLISH)
    head.sign_in(organisation.TEAMS[0].people[0])  # of the robot's group
    waiting = robot.started("waits to be changed", "sleep 1", held=True)
    page = head.page
    page.goto(f"{platform.url}/jobs/{waiting}")
    page.get_by_role("button", name=EN["change"], exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name=EN["priority"]).click()
    page.get_by_title(EN["low"], exact=True).click()
    dialog.get_by_role("button", name=EN["save_changes"], exact=True).click()
    expect(dialog).to_be_hidden()
    assert robot.get(f"/jobs/{waiting}")["priority"] == "low"
    robot.cancel(waiting)


def test_a_group_admin_limits_a_member(platform: Launched, person: SitDown) -> None:
    head = person(platform, ENGLISH)
    head.sign_in(HEAD)
    page = head.page
    page.goto(f"{platform.url}/quotas")
    page.get_by_role("button", name=EN["limit_member"], exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name=EN["member"]).fill(DEVELOPER)
    page.keyboard.press("Enter")
    dialog.get_by_role("spinbutton", name=EN["running"], exact=True).fill("3")
    dialog.get_by_role("button", name=EN["save"], exact=True).click()
    expect(dialog).to_be_hidden()

    def is_limited() -> bool:
        rows = page.request.get(f"{platform.url}/api/v1/member-limits").json()
        return [(row["user"]["username"], row["running_max"]) for row in rows] == [(DEVELOPER, 3)]

    wait_until(is_limited)


def csrf_of(someone: Person) -> dict[str, str]:
    """Return the header that a page sends with each change."""
    cookies = {item.get("name"): item.get("value") for item in someone.page.context.cookies()}
    return {"X-CSRFToken": str(cookies["berth-csrf"]), "Referer": someone.platform.url}
