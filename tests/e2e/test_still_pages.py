"""Pages stand still while they load: what is there already is not pushed away by what comes later."""

from typing import Final

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.shifts import OBSERVE_SHIFTS, shifts_on
from tests.e2e.story import SitDown
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SHIFT_MAX: Final = 0.02
LATE_MS: Final = 400
"""By how much each answer differs in its coming from the one before."""
PLACES: Final = ("/", "/queue", "/usage", "/quotas", "/images", "/apps")


@pytest.mark.parametrize(
    ("user", "words"),
    [(organisation.ADMIN, CHINESE), (organisation.TEAMS[3].people[0], ENGLISH)],
    ids=["administrator", "head of a group"],
)
def test_nothing_jumps_when_answers_come_in_any_order(
    platform: Launched, person: SitDown, user: str, words: Words
) -> None:
    someone = person(platform, words)
    someone.sign_in(user)
    page = someone.page
    page.add_init_script(OBSERVE_SHIFTS)
    # The first questions of a page are answered last: those of what stands above all others.
    page.add_init_script(
        "const ask = window.fetch; let late = 5; window.fetch = async (...what) => {"
        " const answer = await ask(...what);"
        f" await new Promise((go) => setTimeout(go, {LATE_MS} * Math.max(late--, 0)));"
        " return answer; };"
    )
    moved = {}
    for place in PLACES:
        page.goto(f"{platform.url}{place}", wait_until="networkidle")
        page.locator("main h1").wait_for()
        expect(page.locator("[data-loading]")).to_have_count(0)
        shifts = shifts_on(page)
        if sum(float(by) for by, *_ in shifts) > SHIFT_MAX:
            moved[place] = shifts

    assert moved == {}
