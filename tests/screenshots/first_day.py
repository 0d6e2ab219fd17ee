"""The pictures of `docs/users/first-day.md`, taken while somebody lives that day."""

from typing import Final

from playwright.sync_api import expect

from deploy.onebox.options import REPOSITORY
from tests.e2e.story import Person, press
from tests.e2e.walking import see_arrived
from tests.screenshots.scene import TRAIN

FOLDER: Final = REPOSITORY / "docs" / "img" / "first-day"
HEIGHT: Final = 760


def take_first_day(someone: Person) -> None:
    """Sign in, make a notebook, run a job, and keep what each step looks like."""
    page = someone.page
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
    someone.sign_in("liu.yang")
    _take(someone, "overview")
    page.goto(f"{someone.platform.url}/notebooks/new")
    page.get_by_role("textbox", name=someone.words.name, exact=True).fill("plants")
    expect(page.get_by_test_id("start-preview")).to_have_attribute("data-verdict", "starts_now")
    _take(someone, "new-notebook")
    press(page, someone.words.create_notebook)
    someone.sees_state("running")
    expect(page.get_by_role("button", name=someone.words.open, exact=True)).to_be_enabled()
    _take(someone, "notebook")
    notebook = page.url.rpartition("/")[2]
    someone.submit_job("plants-train", TRAIN)
    someone.sees_state("succeeded")
    said = someone.words.texts("features/jobs")
    _take(someone, "log")
    page.get_by_role("tab", name=said["tab"]["metrics"]).click()
    expect(page.get_by_role("img").first).to_be_visible()
    _take(someone, "metrics")
    someone.call("DELETE", f"environments/{notebook}")


def _take(someone: Person, name: str) -> None:
    see_arrived(someone)
    FOLDER.mkdir(parents=True, exist_ok=True)
    someone.page.screenshot(path=FOLDER / f"{name}.{someone.words.language}.png")
