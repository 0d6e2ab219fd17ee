"""Pages that meet a fault of the network or the server mend themselves; nobody reloads them."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.story import SitDown
from tests.e2e.test_browser import DEVELOPER
from tests.e2e.words import ENGLISH
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@dataclass
class Failing:
    """Handles requests: so many fail, every later one passes."""

    left: int
    fail: Callable[[Route], None]

    def __call__(self, route: Route) -> None:
        if self.left == 0:
            route.continue_()
        else:
            self.left -= 1
            self.fail(route)


@pytest.mark.parametrize("part", ["index", "texts-en"], ids=["code", "texts"])
def test_page_without_its_code_loads_again(platform: Launched, person: SitDown, part: str) -> None:
    page = person(platform, ENGLISH).page
    cut = Failing(1, lambda route: route.abort())
    page.route(f"**/assets/{part}-*.js", cut)
    page.goto(platform.url)
    expect(page.get_by_role("textbox", name=ENGLISH.username)).to_be_visible()
    assert cut.left == 0


def test_form_comes_once_the_server_answers(platform: Launched, person: SitDown) -> None:
    someone = person(platform, ENGLISH)
    someone.sign_in(DEVELOPER)
    down = Failing(4, lambda route: route.fulfill(status=502, body=""))
    someone.page.route("**/api/v1/pools", down)
    someone.page.goto(f"{platform.url}/notebooks/new")
    expect(someone.page.get_by_role("textbox", name=ENGLISH.name, exact=True)).to_be_visible()
    assert down.left == 0
