"""Advance reservations as operators make them: the dialog, a refusal that names a promise, the list."""

from datetime import datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, SitDown, choose, press
from tests.e2e.words import Words, chinese_first, english_first, filled
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
COLLEAGUE = organisation.TEAMS[0].people[1]
HOUR = timedelta(hours=1)


@english_first
def test_a_reservation_is_made_shown_and_cancelled(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said, name = words.texts("features/reservations"), f"Course {words.language}"
    someone = person(platform, words)
    someone.sign_in(organisation.ADMIN)
    page = someone.page
    page.goto(f"{platform.url}/reservations")
    press(page, said["add"])
    fill(someone, name, 2, starts=now(page) + 30 * 24 * HOUR)
    press(page.get_by_role("dialog"), said["save"])
    row = page.get_by_role("table", name=said["title"]).get_by_role("row", name=name)
    expect(row).to_contain_text(filled(said["gpuCount_other"], count=2))

    member = person(platform, words)
    member.sign_in(COLLEAGUE)
    member.page.goto(f"{platform.url}/reservations")
    table = member.page.get_by_role("table", name=said["title"])
    expect(table.get_by_role("row", name=name)).to_be_visible()
    expect(member.page.get_by_role("button", name=said["add"])).to_have_count(0)

    press(row, filled(said["cancelOf"], name=name))
    press(page.get_by_role("tooltip"), said["cancel"])
    expect(row).to_have_count(0)


@chinese_first
def test_a_refusal_names_the_work_in_the_way(
    platform: Launched, person: SitDown, robot: Pipeline, words: Words
) -> None:
    said, name = words.texts("features/reservations"), f"stays {words.language}"
    blocker = robot.started(name, "sleep 600", gpus=2)
    robot.wait(blocker, "running")
    total = sum(
        len(node["accelerators"])
        for node in robot.get("/nodes")["results"]
        if node["pool"]["name"] == "training"
    )
    someone = person(platform, words)
    someone.sign_in(organisation.ADMIN)
    page = someone.page
    page.goto(f"{platform.url}/reservations")
    press(page, said["add"])
    fill(someone, "Everything", total, starts=now(page) + timedelta(minutes=1))
    dialog = page.get_by_role("dialog")
    press(dialog, said["save"])
    expect(dialog).to_contain_text(name)
    robot.cancel(blocker)
    robot.wait(blocker)


def now(page: Page) -> datetime:
    """Return the time on the reader's clock."""
    text = page.evaluate(
        "new Date(Date.now() - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 16)"
    )
    return datetime.fromisoformat(text)


def fill(someone: Person, name: str, gpus: int, *, starts: datetime) -> None:
    """Fill the dialog for the first team and the training pool, for an hour."""
    said = someone.words.texts("features/reservations")
    pool = "Training" if someone.words.language == "en" else "训练池"
    dialog = someone.page.get_by_role("dialog")
    dialog.get_by_label(said["column"]["name"]).fill(name)
    choose(dialog, said["column"]["group"], someone.words.title_of(organisation.TEAMS[0]))
    choose(dialog, said["column"]["pool"], pool)
    dialog.get_by_label(said["amount"]).fill(str(gpus))
    dialog.get_by_label(said["from"], exact=True).fill(starts.strftime("%Y-%m-%dT%H:%M"))
    dialog.get_by_label(said["until"], exact=True).fill((starts + HOUR).strftime("%Y-%m-%dT%H:%M"))
