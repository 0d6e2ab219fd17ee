"""From the page of second factors to sign-in, with an authenticator app and a recovery code."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched
from tests.portal.identity.browsers import totp
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SitDown = Callable[[Launched, Words], Person]
PERIOD_S: Final = 30
LEFT_S: Final = 20
"""A code is typed only while so much of its time is left."""


@dataclass(frozen=True, slots=True)
class SecurityWords:
    """Names on the page of second factors and at the second step of sign-in."""

    words: Words
    username: str
    set_up: str
    current_password: str
    go_on: str
    app_code: str
    turn_on: str
    recovery_codes: str
    kept: str
    account: str
    sign_out: str
    code: str
    confirm: str


SECURITY: Final = (
    SecurityWords(
        words=ENGLISH,
        username=organisation.TEAMS[1].people[4],
        set_up="Set up the app",
        current_password="Current password",
        go_on="Continue",
        app_code="Code that the app shows now",
        turn_on="Turn on",
        recovery_codes="Recovery codes",
        kept="I have kept them",
        account="Account",
        sign_out="Sign out",
        code="Code",
        confirm="Confirm",
    ),
    SecurityWords(
        words=CHINESE,
        username=organisation.TEAMS[1].people[5],
        set_up="设置身份验证器",
        current_password="当前密码",
        go_on="继续",
        app_code="应用当前显示的验证码",
        turn_on="启用",
        recovery_codes="恢复码",
        kept="我已保存",
        account="账户",
        sign_out="退出登录",
        code="验证码",
        confirm="确认",
    ),
)


@pytest.mark.parametrize("said", SECURITY, ids=["en", "zh-CN"])
def test_an_app_is_enrolled_and_asked_for_at_the_next_sign_in(
    platform: Launched, person: SitDown, said: SecurityWords
) -> None:
    someone = person(platform, said.words)
    someone.sign_in(said.username)
    page = someone.page
    page.goto(f"{platform.url}/security")
    press(page, said.set_up)
    confirm_password(page, said, platform.password)
    secret = page.get_by_role("dialog").locator("pre").inner_text()
    page.get_by_label(said.app_code, exact=True).fill(fresh_code(secret))
    press(page, said.turn_on)
    shown_once = page.get_by_role("dialog", name=said.recovery_codes, exact=True)
    codes = shown_once.locator("pre").inner_text().split()
    assert len(codes) == 10
    press(page, said.kept)

    for code in (codes[0], ""):
        sign_out(page, said)
        enter_password(page, said, platform.password)
        page.get_by_label(said.code, exact=True).fill(code or fresh_code(secret))
        press(page, said.confirm)
        expect(page.get_by_role("button", name=said.account, exact=True)).to_be_visible()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def confirm_password(page: Page, said: SecurityWords, password: str) -> None:
    page.get_by_label(said.current_password, exact=True).fill(password)
    press(page, said.go_on)


def enter_password(page: Page, said: SecurityWords, password: str) -> None:
    page.get_by_role("textbox", name=said.words.username).fill(said.username)
    page.get_by_label(said.words.password, exact=True).fill(password)
    press(page, said.words.sign_in)


def sign_out(page: Page, said: SecurityWords) -> None:
    press(page, said.account)
    page.get_by_role("menuitem").filter(has_text=said.sign_out).click()
    expect(page.get_by_role("textbox", name=said.words.username)).to_be_visible()


def fresh_code(secret: str) -> str:
    """Return a code that is valid for a while yet."""
    wait_until(lambda: time.time() % PERIOD_S < PERIOD_S - LEFT_S, within_s=PERIOD_S)
    return totp(secret)
