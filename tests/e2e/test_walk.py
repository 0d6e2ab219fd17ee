"""Every page that the navigation offers, and what its lists lead to, as three roles.

Each must arrive without a refusal or an error, pass axe, be no wider than its window, and have links
of the theme's own colour; so must every dialog that the head of a page opens.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Response, WebError

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown
from tests.e2e.walking import HEIGHT, PHONE, WIDTH, details_on, go, opened_dialogs, places_of
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
TEAM: Final = organisation.TEAMS[3]
BROWSER_BLUE: Final = re.compile(r"rgb\(0, 0, 238\)|rgb\(158, 158, 255\)")


@dataclass(frozen=True, slots=True)
class Walk:
    """Who goes, in which language and colours, in how wide a window."""

    user: str
    words: Words
    colours: Literal["light", "dark"]
    width: int


WALKS: Final = {
    "administrator": Walk(organisation.ADMIN, ENGLISH, "light", WIDTH),
    "head of a group": Walk(TEAM.people[0], CHINESE, "dark", WIDTH),
    "member on a phone": Walk(TEAM.people[5], CHINESE, "light", PHONE),
}


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_every_page_is_whole_and_accessible(
    platform: Launched, person: SitDown, robot: Pipeline, walk: Walk
) -> None:
    robot.wait(robot.started("seen from above", "echo seen", time_limit_s=600))
    someone = person(platform, walk.words)
    page = someone.page
    page.emulate_media(color_scheme=walk.colours, reduced_motion="reduce")
    someone.sign_in(walk.user)
    places = places_of(page)
    page.set_viewport_size({"width": walk.width, "height": HEIGHT})
    faults: list[str] = []
    with _faults_of(page, faults):
        for place in places:
            go(someone, place)
            faults += [f"{place}: {fault}" for fault in faults_on(page)]
            if walk.width > PHONE:
                for dialog in opened_dialogs(page, place):
                    faults += [f"{place}: dialog {dialog}: {fault}" for fault in faults_on(page)]
            for detail in details_on(page, place):
                go(someone, detail)
                faults += [f"{detail}: {fault}" for fault in faults_on(page)]
    assert not faults, "\n".join(faults)


def faults_on(page: Page) -> list[str]:
    """Return what axe finds, and what is too wide or has the colour of no theme."""
    found = Axe().run(page)
    faults = [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in found.response["violations"]
        for node in rule["nodes"][:3]
    ]
    too_wide = page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth")
    if too_wide > 0:
        faults.append(f"{too_wide} px wider than the window")
    links = page.locator("main a:visible").evaluate_all(
        "links => links.map(link => [link.textContent, getComputedStyle(link).color])"
    )
    return faults + [
        f"browser's blue: {text}" for text, colour in links if BROWSER_BLUE.match(colour)
    ]


@contextmanager
def _faults_of(page: Page, faults: list[str]) -> Iterator[None]:
    """Collect what the server refuses, and what fails in the pages' programs."""

    def refused(answer: Response) -> None:
        if answer.status >= HTTPStatus.BAD_REQUEST:
            faults.append(f"{answer.status}: {answer.request.method} {answer.url}")

    def failed(fault: WebError) -> None:
        faults.append(f"uncaught: {fault.error}")

    page.on("response", refused)
    page.context.on("weberror", failed)
    yield
    page.remove_listener("response", refused)
    page.context.remove_listener("weberror", failed)
