"""Site settings, secrets and the reset of a password, each from its page to what it changes."""

import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.story import Person, SitDown, press, unfold
from tests.e2e.words import CHINESE, ENGLISH, Words, chinese_first, english_first, filled
from tests.launcher import Launched
from tests.smtp_sink import SmtpSink
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
CANARY: Final = "canary-e2e-77c0"
SCRIPT: Final = 'echo "the token has ${#HUB_TOKEN} characters"'


@english_first
def test_an_administrator_moves_the_site_to_another_clock_and_back(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("features/site")
    admin = person(platform, words)
    admin.sign_in(organisation.ADMIN)
    page = admin.page
    page.goto(f"{platform.url}/site")
    zone = page.get_by_label(said["field"]["time_zone"]["title"], exact=True)
    for name in ("Europe/Berlin", organisation.TIME_ZONE):
        zone.click()
        zone.fill(name)
        page.get_by_role("option", name=name, exact=True).or_(page.get_by_title(name)).last.click()
        press(page, said["save"])
        expect(page.get_by_text(said["saved"]).last).to_be_visible()
        wait_until(lambda zone=name: site_zone(page, platform) == zone)  # type: ignore[misc]
    page.reload()
    page.get_by_label(said["field"]["lease_ttl_s"]["title"], exact=True).fill("3")
    press(page, said["save"])
    expect(page.get_by_text(said["outOfBounds"].split("{{")[0]).first).to_be_visible()


def site_zone(page: Page, platform: Launched) -> str:
    """Return the zone that the platform names to everybody."""
    return str(page.request.get(f"{platform.url}/api/v1/config").json()["time_zone"])


@chinese_first
def test_a_secret_is_stored_used_and_deleted_and_never_shown(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said, form = words.texts("features/secrets"), words.texts("shared/submission")["secrets"]
    name = f"hub-{words.language.lower()}"
    someone = person(platform, words)
    someone.sign_in(organisation.TEAMS[2].people[6])
    page = someone.page
    page.goto(f"{platform.url}/secrets")
    press(page, said["add"])
    page.get_by_label(said["name"], exact=True).fill(name)
    page.get_by_label(said["value"], exact=True).fill(CANARY)
    press(page, said["save"])
    expect(page.get_by_role("cell", name=name, exact=True)).to_be_visible()

    page.goto(f"{platform.url}/jobs/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill(f"secret {words.language}")
    page.get_by_role("textbox", name=words.script, exact=True).fill(SCRIPT)
    unfold(page, form["label"])
    press(page, form["add"])
    page.get_by_label(filled(form["which"], number=1), exact=True).click()
    page.get_by_title(name, exact=True).last.click()
    page.get_by_label(filled(form["target"], number=1), exact=True).fill("HUB_TOKEN")
    press(page, words.submit_job)
    someone.sees_state("succeeded")
    expect(page.get_by_test_id("log")).to_contain_text(f"has {len(CANARY)} characters")
    assert CANARY not in page.content()

    page.goto(f"{platform.url}/secrets")
    expect(page.get_by_role("cell", name=name, exact=True)).to_be_visible()
    assert CANARY not in page.content()
    press(page, filled(said["deleteNamed"], name=name))
    page.get_by_role("tooltip").get_by_role("button", name=said["delete"], exact=True).click()
    expect(page.get_by_role("cell", name=name, exact=True)).to_have_count(0)


@pytest.mark.parametrize(
    ("words", "number"),
    [(CHINESE, 8), pytest.param(ENGLISH, 7, marks=pytest.mark.long)],
    ids=["zh-CN", "en"],
)
def test_a_forgotten_password_is_reset_by_mail(
    platform: Launched, person: SitDown, mailbox: SmtpSink, words: Words, number: int
) -> None:
    said = words.texts("features/auth")
    username = organisation.TEAMS[2].people[number]
    address = f"{username}@example.org"
    give_address(person(platform, words), username, address)
    page = person(platform, words).page
    page.goto(f"{platform.url}/sign-in")
    page.get_by_role("link", name=said["forgot"]["link"], exact=True).click()
    page.get_by_label(said["forgot"]["email"], exact=True).fill(address)
    press(page, said["forgot"]["send"])
    expect(page.get_by_text(said["forgot"]["sent"], exact=True)).to_be_visible()
    wait_until(lambda: any(mail["To"] == address for mail in mailbox.mails))
    (mail,) = [mail for mail in mailbox.mails if mail["To"] == address]
    found = re.search(r"http\S+", mail.get_content())
    assert found is not None

    page.goto(found[0])
    for label in (said["newPassword"], said["newPasswordAgain"]):
        page.get_by_label(label, exact=True).fill("a-new-password-by-mail")
    press(page, said["forgot"]["save"])
    page.get_by_role("link", name=said["forgot"]["signIn"], exact=True).click()
    page.get_by_role("textbox", name=words.username).fill(username)
    page.get_by_label(words.password, exact=True).fill("a-new-password-by-mail")
    press(page, words.sign_in)
    expect(page).to_have_url(f"{platform.url}/")


def give_address(admin: Person, username: str, address: str) -> None:
    """Let an administrator write a person's mail address down."""
    said = admin.words.texts("features/people")
    admin.sign_in(organisation.ADMIN)
    page = admin.page
    page.goto(f"{admin.platform.url}/people")
    page.get_by_role("searchbox", name=said["person"]["search"], exact=True).fill(username)
    press(page, filled(said["person"]["editOf"], name=username))
    page.get_by_label(said["person"]["email"], exact=True).fill(address)
    press(page, said["person"]["save"])
    expect(page.get_by_role("dialog")).to_have_count(0)


@english_first
def test_a_member_sees_where_the_group_stands(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("features/quotas")["standing"]
    someone = person(platform, words)
    someone.sign_in(organisation.TEAMS[3].people[2])
    someone.page.goto(f"{platform.url}/queue?tab=shares")
    panel = someone.page.get_by_test_id("standing")
    expect(panel).to_contain_text(words.title_of(organisation.TEAMS[3]))
    siblings = str(len(organisation.TEAMS))
    expect(panel).to_contain_text(said["of"].split("{{siblings}}")[0].split("}}")[-1] + siblings)
