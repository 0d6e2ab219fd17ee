"""A developer's day in a real browser, in both languages."""

import pytest
from playwright.sync_api import Browser, expect

from portal.demo import organisation
from tests.e2e.story import SitDown, run_cell
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
LANGUAGES = pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=lambda words: words.language)
DEVELOPER = organisation.TEAMS[1].people[1]
"""Of another group than the robot's, whose cards the queue tests count."""
FIRST_LOAD_BYTES_MAX = 400 * 1024
SCRIPT = "echo epoch 1 of 1\necho weights > $BERTH_OUTPUT_DIR/model.txt\n"


@LANGUAGES
def test_notebook_runs_a_cell_stops_and_starts_with_its_files(
    platform: Launched, person: SitDown, words: Words
) -> None:
    someone = person(platform, words)
    someone.sign_in(DEVELOPER)
    someone.create_notebook(f"first light {words.language}")
    lab = someone.open_notebook()
    run_cell(lab, "open('kept.txt', 'w').write('x') and print(6*7)", "42")
    lab.close()

    someone.stop_notebook()
    someone.start_notebook()
    lab = someone.open_notebook()
    expect(lab.locator(".jp-DirListing-item", has_text="kept.txt")).to_be_visible()
    lab.close()
    someone.stop_notebook()


@LANGUAGES
def test_job_is_followed_to_success(platform: Launched, person: SitDown, words: Words) -> None:
    someone = person(platform, words)
    someone.sign_in(DEVELOPER)
    someone.submit_job(f"train {words.language}", SCRIPT)
    someone.sees_state("succeeded")
    expect(someone.page.get_by_test_id("log")).to_contain_text("epoch 1 of 1")


def test_the_first_load_is_light(platform: Launched, chromium: Browser) -> None:
    """Programs and styles travel compressed: what the sign-in page loads is bounded, as sent."""
    context = chromium.new_context()
    page = context.new_page()
    session = context.new_cdp_session(page)
    sent: list[float] = []
    session.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    session.send("Network.enable")

    page.goto(platform.url, wait_until="networkidle")

    context.close()
    assert 0 < sum(sent) <= FIRST_LOAD_BYTES_MAX
