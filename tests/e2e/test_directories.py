"""An administrator sets a directory up on its page, and its people sign in through its provider, in both languages."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.story import Person, SitDown, choose, press
from tests.e2e.words import CHINESE, ENGLISH, filled
from tests.launcher import Launched
from tests.oidc_provider import running_provider

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
TEAM = organisation.TEAMS[1]
TITLE = "Example Directory"
PEOPLE: dict[str, dict[str, Any]] = {
    sub: {
        "preferred_username": f"{sub}@example.org",
        "name": name,
        "email": f"{sub}@example.org",
        "groups": ["robot-builders"],
    }
    for sub, name in (("grace.h", "Grace H"), ("lin.z", "Lin Z"))
}


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    """Start a provider that knows two people; yield its address."""
    with running_provider(PEOPLE) as address:
        yield address


def test_people_sign_in_through_a_directory_that_was_added_on_its_page(
    platform: Launched, person: SitDown, provider: str
) -> None:
    admin = person(platform, ENGLISH)
    admin.sign_in(organisation.ADMIN)
    said = ENGLISH.texts("features/directories")
    page = admin.page
    page.goto(f"{platform.url}/directories")
    add_directory(page, said, provider)
    try_and_save_rule(page, said)

    for sub, words in (("grace.h", ENGLISH), ("lin.z", CHINESE)):
        someone = person(platform, words)
        sign_in_there(someone, sub)
        me = someone.call("GET", "me")
        assert me["display_name"] == PEOPLE[sub]["name"]
        roles = [(each["group"]["name"], each["role"]) for each in me["memberships"]]
        assert roles == [(TEAM.name, "developer")]

    page.reload()
    row = page.get_by_role("row").filter(has_text=TITLE)
    expect(row).to_contain_text(said["state"]["active"])
    shows_plan_of_no_rules(page, said)
    press(page, filled(said["moreOf"], title=TITLE))
    press(page, filled(said["removeOf"], title=TITLE))
    page.get_by_role("tooltip").get_by_role("button", name=said["remove"], exact=True).click()
    expect(row).to_have_count(0)
    expect(person(platform, ENGLISH).page.get_by_role("link", name=TITLE)).to_have_count(0)


def add_directory(page: Page, said: Any, issuer: str) -> None:
    """Add a provider of OpenID Connect."""
    field = said["field"]
    press(page, said["add"])
    dialog = page.get_by_role("dialog")
    for label, value in (
        (field["name"], "example"),
        (field["title"], TITLE),
        (field["issuer"], issuer),
        (field["clientId"], "berth"),
        (field["secret"], "s3cret-of-the-client"),
    ):
        dialog.get_by_label(label, exact=True).fill(value)
    expect(dialog).to_contain_text("/sign-in/oidc/example/callback")
    press(dialog, said["save"])
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text=TITLE)).to_contain_text(said["state"]["waiting"])


def try_and_save_rule(page: Page, said: Any) -> None:
    """Give the members of a group a role, after it was seen who gets what."""
    rules = said["rules"]
    press(page, filled(said["rulesOf"], title=TITLE))
    dialog = page.get_by_role("dialog")
    press(dialog, rules["add"])
    dialog.get_by_label(filled(rules["external"], number=1), exact=True).fill("robot-builders")
    choose(page, filled(rules["target"], number=1), ENGLISH.title_of(TEAM))
    role = ENGLISH.texts("features/people")["role"]["developer"]
    choose(page, filled(rules["role"], number=1), role)
    press(dialog, rules["try"])
    expect(page.get_by_test_id("directory-plan")).to_contain_text(said["plan"]["nothing"])
    press(dialog, rules["save"])
    expect(page.get_by_role("dialog")).to_have_count(0)


def shows_plan_of_no_rules(page: Page, said: Any) -> None:
    """See who would lose what without the rule, and leave it as it is."""
    press(page, filled(said["rulesOf"], title=TITLE))
    dialog = page.get_by_role("dialog")
    press(dialog, filled(said["rules"]["remove"], number=1))
    press(dialog, said["rules"]["try"])
    plan = page.get_by_test_id("directory-plan")
    expect(plan.locator("[data-kind=take_role]")).to_have_count(2)
    expect(plan).to_contain_text("grace.h")
    page.reload()


def sign_in_there(someone: Person, sub: str) -> None:
    """Go to the provider by the button of the page of sign-in, and come back."""
    page, words = someone.page, someone.words
    page.goto(f"{someone.platform.url}/sign-in")
    name = filled(words.texts("features/auth")["signInWith"], title=TITLE)
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("button", name=sub, exact=True).click()
    expect(page).to_have_url(f"{someone.platform.url}/")
    expect(page.locator("html")).to_have_attribute("lang", words.language)
