"""Every page that the navigation offers, what its lists lead to, and what buttons open, as three roles.

Each must arrive without a refusal or an error, pass axe in both themes, be no wider than its window, and
have links of the theme's own colour; so must every dialog, drawer, question and menu, in both languages.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, Response, WebError

from portal.demo import organisation
from tests.e2e.axe import faults_on
from tests.e2e.overlays import PARTS, hold_changes, opened_overlays
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, SitDown
from tests.e2e.walking import HEIGHT, PHONE, WIDTH, details_on, go, places_of, views_of
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
TEAM: Final = organisation.TEAMS[3]


@dataclass(frozen=True, slots=True)
class Walk:
    """Who goes, in which language, in how wide a window, and in which theme the first page is read.

    Who does not look in both themes goes where somebody else does.
    """

    user: str
    words: Words
    width: int
    colours: Literal["light", "dark"]
    in_both: bool = True
    share: tuple[int, int] = (0, 1)
    """Which part of the pages, of how many: one walk through all of an administrator's takes too long."""


WALKS: Final = {
    "administrator": Walk(organisation.ADMIN, ENGLISH, WIDTH, "light", share=(0, 2)),
    "administrator, the other half": Walk(
        organisation.ADMIN, ENGLISH, WIDTH, "light", share=(1, 2)
    ),
    "administrator in Chinese": Walk(organisation.ADMIN, CHINESE, WIDTH, "dark", in_both=False),
    "head of a group": Walk(TEAM.people[0], CHINESE, WIDTH, "light"),
    "member": Walk(TEAM.people[5], CHINESE, WIDTH, "dark"),
    "member on a phone": Walk(TEAM.people[5], ENGLISH, PHONE, "light"),
}
SEEN: Final[dict[str, set[str]]] = {ENGLISH.language: set(), CHINESE.language: set()}
"""What has been opened in a language: whoever comes later opens only what nobody had before."""


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_every_page_is_whole_and_accessible(
    platform: Launched, person: SitDown, robot: Pipeline, walk: Walk
) -> None:
    robot.wait(robot.started("seen from above", "echo seen", time_limit_s=600))
    someone = person(platform, walk.words)
    page = someone.page
    page.emulate_media(color_scheme=walk.colours, reduced_motion="reduce")
    hold_changes(page)
    someone.sign_in(walk.user)
    first, of = walk.share
    places = places_of(page)[first::of]
    page.set_viewport_size({"width": walk.width, "height": HEIGHT})
    faults: list[str] = []
    with _faults_of(page, faults):
        for place in places:
            go(someone, place)
            faults += _faults_here(someone, place, in_both=walk.in_both)
            for detail in details_on(page, place):
                go(someone, detail)
                faults += _faults_here(someone, detail, in_both=walk.in_both)
    assert not faults, "\n".join(faults)


def _faults_here(someone: Person, place: str, *, in_both: bool) -> Iterator[str]:
    """Return what is wrong with a page, its tabs, and all that their buttons open."""
    seen = SEEN[someone.words.language]
    for view in views_of(someone):
        yield from (
            f"{place} {view}: {fault}" for fault in faults_on(someone.page, in_both=in_both)
        )
        for name in opened_overlays(someone.page, seen):
            faults = faults_on(someone.page, PARTS, in_both=in_both)
            yield from (f"{place} {view}: {name}: {fault}" for fault in faults)


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
