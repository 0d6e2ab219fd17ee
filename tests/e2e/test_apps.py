"""TensorBoard by a button: of a job that has ended, in a tab of its own, through a real agent."""

import re

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.apps import open_tensorboard
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown, press
from tests.e2e.words import ENGLISH
from tests.event_files import WRITE_EVENTS
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

MEMBER = organisation.TEAMS[0].people[6]


def test_tensorboard_opens_on_a_finished_job_once_and_is_closed(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    texts = ENGLISH.texts("features/apps")
    job = robot.started("night", WRITE_EVENTS, image="jupyter-python")
    done = robot.wait(job)
    assert (done["state"], done["exit_code"]) == ("succeeded", 0), done
    someone = person(platform, ENGLISH)
    someone.sign_in(MEMBER)
    page = someone.page
    page.goto(f"{platform.url}/jobs/{job}?tab=outputs")

    tab = open_tensorboard(page)
    again = open_tensorboard(page)

    address = re.compile(r"/e/[0-9a-f-]+/port/\d+/")
    assert address.search(tab.url)
    assert tab.url.split("#")[0] == again.url.split("#")[0]
    again.close()
    page.goto(f"{platform.url}/apps")
    row = page.get_by_role("row").filter(has_text="tensorboard-night")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("TensorBoard")
    row.get_by_role("link", name="tensorboard-night").click()
    someone.sees_state("running")
    expect(page.get_by_test_id("app-shows")).to_contain_text(texts["ofJob"])
    press(page, texts["close"])
    someone.sees_state("cancelled")

    tab.reload()

    said = ENGLISH.portal_texts("gateway")
    expect(tab.get_by_role("heading")).to_have_text(
        said["gateway.app_ended.title"].replace("{name}", "tensorboard-night")
    )
    link = tab.get_by_role("link", name=said["gateway.start_again"], exact=True)
    expect(link).to_have_attribute("href", page.url)
    assert robot.call("POST", "/app-sessions", {"app": "no-such", "job": job}).status == 404
