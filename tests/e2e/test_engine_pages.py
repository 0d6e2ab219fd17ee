"""The engine as people see and steer it: the queue of a pool, and the rules of a pool."""

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown
from tests.e2e.words import CHINESE, ENGLISH
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
GROUP_CARDS = 6
COLLEAGUE = organisation.TEAMS[0].people[0]
"""Of the robot's group."""


def test_the_queue_page_shows_who_waits_and_moves_by_itself(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    blocker = robot.started("holds all the cards", "sleep 600", gpus=GROUP_CARDS)
    robot.wait(blocker, "running")
    waiting = robot.started("waits on the queue page", "sleep 600")
    someone = person(platform, ENGLISH)
    someone.sign_in(COLLEAGUE)
    someone.page.goto(f"{platform.url}/queue?pool=training")
    queue = someone.page.get_by_role("table", name=ENGLISH.waiting)
    expect(queue.get_by_role("link", name="waits on the queue page")).to_be_visible()
    robot.cancel(waiting)
    expect(queue).to_be_hidden()
    robot.cancel(blocker)
    robot.wait(blocker)


def test_a_platform_admin_sets_a_rule_and_takes_it_back(
    platform: Launched, person: SitDown
) -> None:
    words = CHINESE
    someone = person(platform, words)
    someone.sign_in("admin")
    page = someone.page
    page.goto(f"{platform.url}/policies?pool=training")
    grace = page.get_by_role("spinbutton", name=words.grace, exact=True)
    grace.fill("45")
    with page.expect_response(lambda answer: answer.request.method == "PUT") as kept:
        page.get_by_role("button", name=words.save_policy, exact=True).click()
    assert kept.value.json()["policy"]["grace_s"] == 45
    page.reload()
    expect(grace).to_have_value("45")
    page.get_by_role("button", name=words.to_defaults, exact=True).click()
    with page.expect_response(lambda answer: answer.request.method == "PUT") as restored:
        page.get_by_role("button", name=words.save_policy, exact=True).click()
    answer = restored.value.json()
    assert answer["policy"] == answer["defaults"]
