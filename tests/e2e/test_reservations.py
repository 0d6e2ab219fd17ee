"""Advance reservations as operators make them: the dialog, a refusal that names a promise, the list."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SitDown = Callable[[Launched, Words], Person]
COLLEAGUE = organisation.TEAMS[0].people[0]
HOUR = timedelta(hours=1)


def test_a_reservation_is_made_shown_and_cancelled(platform: Launched, person: SitDown) -> None:
    someone = person(platform, ENGLISH)
    someone.sign_in("admin")
    page = someone.page
    page.goto(f"{platform.url}/reservations")
    page.get_by_role("button", name="Reserve GPUs", exact=True).click()
    fill(page, "Course in English", 2, starts=now(page) + 30 * 24 * HOUR)
    page.get_by_role("dialog").get_by_role("button", name="Reserve", exact=True).click()
    row = page.get_by_role("table", name="Reservations").get_by_role(
        "row", name="Course in English"
    )
    expect(row).to_contain_text("2 GPUs")

    member = person(platform, CHINESE)
    member.sign_in(COLLEAGUE)
    member.page.goto(f"{platform.url}/reservations")
    table = member.page.get_by_role("table", name="预约")
    expect(table.get_by_role("row", name="Course in English")).to_be_visible()
    expect(member.page.get_by_role("button", name="预约 GPU")).to_have_count(0)

    row.get_by_role("button", name="Cancel Course in English").click()
    page.get_by_role("tooltip").get_by_role("button", name="Cancel reservation").click()
    expect(row).to_have_count(0)


def test_a_refusal_names_the_work_in_the_way(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    blocker = robot.started("stays for a while", "sleep 600", gpus=2)
    robot.wait(blocker, "running")
    total = sum(
        len(node["accelerators"])
        for node in robot.get("/nodes")["results"]
        if node["pool"]["name"] == "training"
    )
    someone = person(platform, ENGLISH)
    someone.sign_in("admin")
    page = someone.page
    page.goto(f"{platform.url}/reservations")
    page.get_by_role("button", name="Reserve GPUs", exact=True).click()
    fill(page, "Everything", total, starts=now(page) + timedelta(minutes=1))
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Reserve", exact=True).click()
    expect(dialog).to_contain_text("stays for a while")
    dialog.get_by_role("button", name="Cancel", exact=True).click()
    robot.cancel(blocker)
    robot.wait(blocker)


def now(page: Page) -> datetime:
    """Return the time on the reader's clock."""
    text = page.evaluate(
        "new Date(Date.now() - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 16)"
    )
    return datetime.fromisoformat(text)


def fill(page: Page, name: str, gpus: int, *, starts: datetime) -> None:
    """Fill the dialog for the first team and the training pool, for an hour."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(name)
    choose(page, "For", organisation.TEAMS[0].title)
    choose(page, "Pool", "Training")
    dialog.get_by_label("Amount").fill(str(gpus))
    dialog.get_by_label("From").fill(starts.strftime("%Y-%m-%dT%H:%M"))
    dialog.get_by_label("Until").fill((starts + HOUR).strftime("%Y-%m-%dT%H:%M"))


def choose(page: Page, field: str, option: str) -> None:
    """Choose an entry of a select of the dialog."""
    page.get_by_role("dialog").get_by_role("combobox", name=field, exact=True).click()
    page.locator(".ant-select-dropdown:visible").get_by_title(option).first.click()
