"""What a visitor finds in a fresh demo: something on every main page, and a way to a trained model."""

from collections.abc import Iterator
from time import monotonic
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, expect

from portal.demo import examples, organisation
from tests.e2e.story import Person, SitDown
from tests.e2e.walking import go
from tests.e2e.words import CHINESE, ENGLISH, Words, filled
from tests.launcher import Launched, running
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

ROWS: Final = "main tbody tr"
CURVES: Final = "main canvas"
CLUSTER: Final = {
    "/queue": ROWS,  # first: what the first round has put there is released or begins minutes later
    "/nodes": CURVES,
    "/nodes/map": CURVES,
    "/reservations": ROWS,
    "/usage": ROWS,
}
OF_ADMINISTRATORS: Final = {
    **CLUSTER,
    "/": ROWS,
    "/notebooks": ROWS,
    "/jobs": ROWS,
    "/templates": ROWS,
    "/alarms?tab=resolved": ROWS,
    "/requests": ROWS,
    "/quotas": ROWS,
    "/people": ROWS,
    "/what-if": ROWS,
}
OF_EVERYBODY: Final = {
    **CLUSTER,
    "/": ROWS,
    "/notebooks": ROWS,
    "/jobs?show=all": ROWS,  # what is active in a group may be over
    "/templates": ROWS,
    "/datasets": ROWS,
    "/usage/report": ROWS,
}
NEWCOMER: Final = "song.yu"
"""One of those whom the activity leaves alone."""
TEMPLATE: Final = examples.TEMPLATES[1].name
CLICKS_MAX: Final = 12
WALK_S: Final = 90
PATIENCE_S: Final = 600


@pytest.fixture(scope="module")
def lively_demo() -> Iterator[Launched]:
    """What `make run` starts, with its past and its activity."""
    with running("demo", "--runtime", "process", "--nodes", "5", has_activity=True) as launched:
        yield launched


def test_its_main_pages_have_content(lively_demo: Launched, person: SitDown) -> None:
    admin = person(lively_demo, ENGLISH)
    admin.sign_in(organisation.ADMIN)
    _sees_content(admin, OF_ADMINISTRATORS)
    member = person(lively_demo, CHINESE)
    member.sign_in(_owner_of_a_notebook(admin))
    _sees_content(member, OF_EVERYBODY)


def _sees_content(someone: Person, pages: dict[str, str]) -> None:
    for place, content in pages.items():
        go(someone, place)
        expect(someone.page.locator(content).first, place).to_be_visible()
        expect(someone.page.get_by_test_id("empty-state"), place).to_have_count(0)


def _owner_of_a_notebook(admin: Person) -> str:
    """Return a developer who works in a notebook, as simulated people do for at least 25 minutes."""
    heads = {team.people[0] for team in organisation.TEAMS}

    def owners() -> list[str]:
        found: list[Any] = admin.call("GET", "workloads?kind=environment&state=running")["results"]
        return [name for each in found if (name := each["owner"]["username"]) not in heads]

    wait_until(owners, every_s=1)
    return owners()[0]


@pytest.mark.parametrize(
    ("words", "within_s"),
    [
        pytest.param(ENGLISH, PATIENCE_S, id="en"),
        pytest.param(CHINESE, WALK_S, id="zh-CN, in time", marks=pytest.mark.long),
    ],
)
def test_a_newcomer_comes_to_a_trained_model_in_few_clicks(
    lively_demo: Launched, person: SitDown, words: Words, within_s: float
) -> None:
    someone = person(lively_demo, words)
    page = someone.page
    page.goto(lively_demo.url)
    begun, clicks = monotonic(), Clicks()
    clicks.type(page.get_by_role("textbox", name=words.username), NEWCOMER)
    clicks.type(page.get_by_label(words.password, exact=True), lively_demo.password)
    clicks.press(page.get_by_role("button", name=words.sign_in, exact=True))
    places = words.texts("app")["places"]
    clicks.press(page.get_by_role("link", name=places["templates"], exact=True))
    use = filled(words.texts("features/templates")["useNamed"], name=TEMPLATE)
    clicks.press(page.get_by_role("link", name=use, exact=True))
    clicks.press(page.get_by_role("button", name=words.submit_job, exact=True))
    someone.sees_state("succeeded")
    tabs = words.texts("features/jobs")["tab"]
    clicks.press(page.get_by_role("tab", name=tabs["outputs"], exact=True))
    clicks.press(page.get_by_role("button", name="model.json", exact=True))
    expect(page.get_by_text("[300,")).to_be_visible()
    assert clicks.count <= CLICKS_MAX
    assert monotonic() - begun <= within_s


class Clicks:
    """The hand of a person, which counts how often it presses: a field that is typed in was pressed before."""

    def __init__(self) -> None:
        self.count = 0

    def press(self, what: Locator) -> None:
        """Press it once it is there."""
        self.count += 1
        what.click()

    def type(self, field: Locator, text: str) -> None:
        """Press the field, and type."""
        self.press(field)
        field.fill(text)
