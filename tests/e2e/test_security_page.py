"""From the page of second factors to sign-in, with an authenticator app and a recovery code."""

import time
from typing import Final

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.story import Person, SitDown, press
from tests.e2e.words import Words, chinese_first
from tests.launcher import Launched
from tests.portal.identity.browsers import totp
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
PERIOD_S: Final = 30
LEFT_S: Final = 20
"""A code is typed only while so much of its time is left."""


MEMBERS: Final = {
    "en": organisation.TEAMS[1].people[4],
    "zh-CN": organisation.TEAMS[1].people[5],
}


@chinese_first
def test_an_app_is_enrolled_and_asked_for_at_the_next_sign_in(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("features/auth") | words.texts("features/account")
    someone = person(platform, words)
    someone.sign_in(MEMBERS[words.language])
    page = someone.page
    page.goto(f"{platform.url}/security")
    press(page, said["app"]["add"])
    page.get_by_label(said["currentPassword"], exact=True).fill(platform.password)
    press(page, said["security"]["confirm"])
    secret = page.get_by_role("dialog").locator("pre").inner_text()
    page.get_by_label(said["app"]["code"], exact=True).fill(fresh_code(secret))
    press(page, said["app"]["confirm"])
    shown_once = page.get_by_role("dialog", name=said["recovery"]["title"], exact=True)
    codes = shown_once.locator("pre").inner_text().split()
    assert len(codes) == 10
    press(page, said["recovery"]["kept"])

    for code in (codes[0], ""):
        sign_out(someone)
        someone.enter_password(MEMBERS[words.language])
        page.get_by_label(said["second"]["code"], exact=True).fill(code or fresh_code(secret))
        press(page, said["second"]["confirm"])
        account = page.get_by_role("button", name=words.texts("app")["account"], exact=True)
        expect(account).to_be_visible()


def sign_out(someone: Person) -> None:
    page, said = someone.page, someone.words.texts("app")
    press(page, said["account"])
    page.get_by_role("menuitem").filter(has_text=said["signOut"]).click()
    expect(page.get_by_role("textbox", name=someone.words.username)).to_be_visible()


def fresh_code(secret: str) -> str:
    """Return a code that is valid for a while yet."""
    wait_until(lambda: time.time() % PERIOD_S < PERIOD_S - LEFT_S, within_s=PERIOD_S)
    return totp(secret)
