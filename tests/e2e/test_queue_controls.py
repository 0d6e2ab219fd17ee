"""Job arrays, dependencies, begin times and holds, from the page and the API to the process."""

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

from portal.common.clock import now
from tests.e2e.pipeline import Pipeline, submit_array
from tests.e2e.story import Person, SitDown, press, unfold
from tests.e2e.words import Words, chinese_first, english_first
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SHOW = 'echo "task $BERTH_ARRAY_INDEX of $BERTH_ARRAY_SIZE in $BERTH_ARRAY_ID"'
DEVELOPER = "li.wei"


def test_each_task_knows_its_index_and_a_job_follows_the_whole_array(robot: Pipeline) -> None:
    array = submit_array(robot, "3-7:2%2", SHOW)
    follower = robot.started(
        "after the array",
        "true",
        gpus=0,
        dependencies=[{"type": "after_ok", "id": array["id"]}],
    )
    tasks = robot.get(f"/jobs?array={array['id']}")["results"]
    assert sorted(task["array_index"] for task in tasks) == [3, 5, 7]

    for task in tasks:
        assert robot.wait(task["id"])["state"] == "succeeded"
        expected = f"task {task['array_index']} of 3 in {array['id']}"
        assert expected in robot.text(f"/jobs/{task['id']}/logs?rank=0&offset=0&follow=1")

    done = robot.wait(follower)
    assert done["state"] == "succeeded"
    ended = max(robot.get(f"/jobs/{task['id']}")["finished_at"] for task in tasks)
    assert done["started_at"] >= ended


def test_a_job_behind_one_that_fails_is_cancelled(robot: Pipeline) -> None:
    first = robot.started("fails", "sleep 2; exit 3", gpus=0)
    second = robot.started(
        "never starts", "true", gpus=0, dependencies=[{"type": "after_ok", "id": first}]
    )

    done = robot.wait(second)

    assert (done["state"], done["cause"]) == ("cancelled", "dependency_never_satisfied")


def test_a_job_begins_no_earlier_than_asked_for(robot: Pipeline) -> None:
    begins = now() + timedelta(seconds=12)
    job = robot.started("later", "true", gpus=0, not_before=begins.isoformat())

    done = robot.wait(job)

    assert done["state"] == "succeeded"
    assert datetime.fromisoformat(done["started_at"]) >= begins


@chinese_first
def test_a_job_is_held_released_and_requeued_on_its_page(
    platform: Launched, person: SitDown, words: Words, robot: Pipeline
) -> None:
    someone, said = person(platform, words), words.texts("features/jobs")
    someone.sign_in(DEVELOPER)
    page = someone.page
    _fill_form(someone, f"held {words.language}")
    page.get_by_role("button", name=words.submit_job, exact=True).click()
    someone.sees_state("queued")

    press(page, said["queue"]["release"])
    someone.sees_state("running")
    job = page.url.rsplit("/", 1)[-1].partition("?")[0]
    press(page, said["more"])
    press(page, said["queue"]["requeue"])
    press(page, said["queue"]["requeueConfirm"])

    wait_until(lambda: robot.get(f"/jobs/{job}")["epoch"] == 2)
    robot.cancel(job)


@english_first
def test_an_array_is_submitted_released_and_cancelled_on_pages(
    platform: Launched, person: SitDown, words: Words
) -> None:
    someone, said = person(platform, words), words.texts("features/jobs")
    someone.sign_in(DEVELOPER)
    page = someone.page
    _fill_form(someone, f"array {words.language}")
    unfold(page, said["start"]["array"])
    page.get_by_role("textbox", name=said["start"]["array"], exact=True).fill("0-9%1")
    page.get_by_role("button", name=words.submit_job, exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("[0-9]")
    tasks = page.locator("header ul li")
    expect(tasks).to_have_text([re.compile(r"10$")])
    press(page, said["queue"]["releaseTasks"])
    expect(tasks.filter(has=page.locator("[data-state=running]"))).to_have_text(re.compile(r"1$"))
    press(page, said["queue"]["cancelArray"])
    press(page, said["queue"]["cancelConfirm"])
    expect(tasks.filter(has=page.locator("[data-state=cancelled]"))).to_have_text(
        re.compile(r"10$")
    )


def _fill_form(someone: Person, name: str) -> None:
    """Fill the form of a held job that runs for long."""
    page, words = someone.page, someone.words
    start = words.texts("features/jobs")["start"]
    page.goto(f"{someone.platform.url}/jobs/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill(name)
    page.get_by_role("textbox", name=words.script, exact=True).fill("sleep 600")
    unfold(page, start["title"])
    page.get_by_role("switch", name=start["held"], exact=True).click()
