"""A job that waits for its group's quota: who holds it, and the ways out, on its page in both languages."""

from typing import Any

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.story import Person, SitDown
from tests.e2e.words import Words, english_first
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
TEAM = organisation.TEAMS[2]
"""A group that no other test uses; it may hold six GPUs."""
SUBMIT = """async (body) => {
  const cookie = document.cookie.split("; ").find((each) => /berth-csrf=/.test(each));
  const answer = await fetch("/api/v1/jobs", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": cookie.split("=")[1] },
    body: JSON.stringify(body),
  });
  return answer.json();
}"""


@english_first
def test_a_wait_names_who_holds_the_quota_and_ends_by_a_way_out(
    platform: Launched, person: SitDown, words: Words
) -> None:
    someone = person(platform, words)
    someone.sign_in(TEAM.people[1])
    holder = _submitted(someone, f"holder {words.language}", "sleep 600")
    _opens(someone, holder)
    someone.sees_state("running")

    page = someone.page
    ways = page.get_by_test_id("ways-out")
    smaller = _submitted(someone, f"smaller {words.language}", "true")
    _opens(someone, smaller)
    expect(page.get_by_test_id("holders")).to_contain_text(holder["name"])
    fewer = ways.locator("li[data-code=fewer_gpus]")
    expect(fewer).to_contain_text("2")
    fewer.get_by_role("button", name=words.take_way_out, exact=True).click()
    page.get_by_role("tooltip").get_by_role("button", name=words.take_way_out, exact=True).click()
    someone.sees_state("succeeded")

    waiting = _submitted(someone, f"waiting {words.language}", "true")
    _opens(someone, waiting)
    stop = ways.locator("li[data-code=stop_own]")
    stop.get_by_role("button", name=f"{words.stop_other} {holder['name']}").click()
    page.get_by_role("tooltip").get_by_role("button", name=words.stop_confirm, exact=True).click()
    someone.sees_state("succeeded")


def _submitted(someone: Person, name: str, script: str) -> Any:
    """Submit a job of four GPUs from the page, as the person."""
    body = {
        "name": name,
        "group": TEAM.name,
        "image": "python",
        "script": script,
        "gpus": 4,
        "replicas": 1,
        "cpu_milli": 1000,
        "memory_mib": 512,
    }
    answer = someone.page.evaluate(SUBMIT, body)
    assert "id" in answer, answer
    return answer


def _opens(someone: Person, job: Any) -> None:
    someone.page.goto(f"{someone.platform.url}/jobs/{job['id']}")
    expect(someone.page.get_by_role("heading", name=job["name"])).to_be_visible()
