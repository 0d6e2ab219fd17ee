"""A developer's day in a real browser, in both languages."""

from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from portal.demo import organisation
from tests.e2e.story import SitDown, run_cell
from tests.e2e.words import ENGLISH, Words, chinese_first, english_first
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
DEVELOPER = organisation.TEAMS[1].people[1]
"""Of another group than the robot's, whose cards the queue tests count."""
FIRST_LOAD_BYTES_MAX: Final = 270 * 1000
"""Of the sign-in page, and of the overview together with its data; with Brotli, as browsers ask."""
FIRST_LOAD_REQUESTS_MAX: Final = 30
SCRIPT = "echo epoch 1 of 1\necho weights > $BERTH_OUTPUT_DIR/model.txt\n"


@english_first
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


@chinese_first
def test_job_is_followed_to_success(platform: Launched, person: SitDown, words: Words) -> None:
    someone = person(platform, words)
    someone.sign_in(DEVELOPER)
    someone.submit_job(f"train {words.language}", SCRIPT)
    someone.sees_state("succeeded")
    expect(someone.page.get_by_test_id("log")).to_contain_text("epoch 1 of 1")


def test_verdict_and_submit_stay_in_sight_while_fields_change(
    platform: Launched, person: SitDown
) -> None:
    someone = person(platform, ENGLISH)
    someone.sign_in(DEVELOPER)
    page = someone.page
    page.set_viewport_size({"width": 1280, "height": 480})  # lower than the form
    page.goto(f"{platform.url}/jobs/new")
    verdict = page.get_by_test_id("start-preview")
    expect(verdict).to_have_attribute("data-verdict", "starts_now")

    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")

    expect(page.get_by_role("heading", level=1)).not_to_be_in_viewport()
    expect(verdict).to_be_in_viewport()
    expect(page.get_by_role("button", name=ENGLISH.submit_job, exact=True)).to_be_in_viewport()


def test_the_first_load_is_light_and_asks_nothing_twice(
    platform: Launched, chromium: Browser, person: SitDown
) -> None:
    """What the first pages load is bounded, as sent; the overview calls each address once."""
    someone = person(platform, ENGLISH)
    someone.sign_in(DEVELOPER)
    # What a newcomer is shown some seconds later is no part of the first load.
    someone.page.evaluate("localStorage.setItem('berth.welcome', 'hidden')")
    known = someone.page.context.storage_state()
    for storage in (None, known):
        context = chromium.new_context(storage_state=storage)
        page = context.new_page()
        # A connection that says nothing: what changes meanwhile is rightly asked for again.
        page.route_web_socket("**/ws", lambda _: None)
        sent, asked = _traffic(page)

        page.goto(platform.url, wait_until="networkidle")

        expect(page.get_by_role("heading", level=1)).to_be_visible()
        calls = [address for address in asked if "/api/" in address]
        assert len(calls) == len(set(calls)), calls
        assert 0 < len(asked) <= FIRST_LOAD_REQUESTS_MAX, asked
        assert 0 < sum(sent) <= FIRST_LOAD_BYTES_MAX, sum(sent)
        context.close()


def _traffic(page: Page) -> tuple[list[float], list[str]]:
    """Return two lists that grow: bytes as sent, and addresses as asked for."""
    sent: list[float] = []
    asked: list[str] = []
    session = page.context.new_cdp_session(page)
    session.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    session.on("Network.requestWillBeSent", lambda event: asked.append(event["request"]["url"]))
    session.send("Network.enable")
    return sent, asked
