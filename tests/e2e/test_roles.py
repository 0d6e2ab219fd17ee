"""What each role is offered: no button that the server would refuse, and none missing that it allows."""

from dataclasses import dataclass
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person, SitDown
from tests.e2e.words import ENGLISH
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
TEAM: Final = organisation.TEAMS[0]
NOBODY: Final = "00000000-0000-0000-0000-000000000000"
DENIED: Final = 403
OUTSIDERS: Final = {"operator": "operator", "auditor": "auditor", "viewer": ""}
"""Roles that nobody of the seeded organisation has, with their platform role."""
INSIDERS: Final = {
    "member": TEAM.people[7],
    "head": TEAM.people[0],
    "platform admin": organisation.ADMIN,
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A button on a page, and the call behind it with a body that nobody's rights make valid."""

    page: str
    part: str
    text: str
    method: str
    path: str


OFFERS: Final = (
    Offer("reservations", "features/reservations", "add", "POST", "reservations"),
    Offer("site", "features/site", "save", "PATCH", "site-settings"),
    Offer("quotas", "features/quotas", "addQuota", "POST", "quotas"),
    Offer("quotas?tab=budgets", "features/quotas", "budget.add", "PUT", "budgets"),
    Offer("pools", "features/pools", "create", "POST", "pools"),
    Offer("datasets", "features/datasets", "add", "POST", "datasets"),
    Offer("what-if", "features/studies", "ask", "POST", "studies"),
    Offer("nodes", "features/nodes", "act.cordon.name", "POST", f"nodes/{NOBODY}/cordon"),
)


@pytest.fixture(scope="module")
def passwords() -> dict[str, str]:
    """Passwords of the people that the first test makes, by role."""
    return {}


@pytest.mark.parametrize("role", [*INSIDERS, *OUTSIDERS])
def test_buttons_are_offered_to_whom_the_server_allows_them(
    platform: Launched,
    person: SitDown,
    robot: Pipeline,
    passwords: dict[str, str],
    role: str,
) -> None:
    if not passwords:
        admin = person(platform, ENGLISH)
        admin.sign_in(organisation.ADMIN)
        passwords.update(make_people(admin))
    someone = person(platform, ENGLISH)
    someone.sign_in(INSIDERS.get(role, f"e2e-{role}"), passwords.get(role, ""))
    refused: list[str] = []
    someone.page.on(
        "response", lambda got: refused.append(got.url) if got.status == DENIED else None
    )

    for offer in OFFERS:
        if is_allowed(someone, offer):
            expect(go_to(someone, offer)).to_be_visible()
        elif leads_to(someone, offer):
            expect(go_to(someone, offer)).to_have_count(0)
    job = robot.started(f"seen by {role}", "sleep 1", held=True)
    someone.page.goto(f"{platform.url}/jobs/{job}")
    expect(someone.page.get_by_role("heading", name=f"seen by {role}")).to_be_visible()
    sees_release = shows(someone, ENGLISH.texts("features/jobs")["queue"]["release"])
    may_release = someone.ask("POST", f"jobs/{job}/release").status != DENIED
    robot.cancel(job)

    assert sees_release == may_release
    assert refused == []


def make_people(admin: Person) -> dict[str, str]:
    """Create an account for each role that the seeded organisation lacks."""
    made = {}
    group = next(row for row in admin.call("GET", "groups")["results"] if row["name"] == TEAM.name)
    for role, platform_role in OUTSIDERS.items():
        body = {"username": f"e2e-{role}", "display_name": role, "platform_role": platform_role}
        account: Any = admin.call("POST", "users", body)
        made[role] = account["password"]
        if not platform_role:
            member = {"username": account["username"], "role": role}
            admin.call("POST", f"groups/{group['id']}/members", member)
    return made


def leads_to(someone: Person, offer: Offer) -> bool:
    """Return whether the navigation leads to the page."""
    places = someone.page.get_by_role("navigation").get_by_role("link")
    expect(places.first).to_be_visible()
    return f"/{offer.page}".partition("?")[0] in [
        place.get_attribute("href") for place in places.all()
    ]


def go_to(someone: Person, offer: Offer) -> Locator:
    """Open the page, and return where its button would be once all is there."""
    text = ENGLISH.texts(offer.part)
    for key in offer.text.split("."):
        text = text[key]
    page = someone.page
    page.goto(f"{someone.platform.url}/{offer.page}")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    return page.get_by_role("button", name=text, exact=True).first


def shows(someone: Person, text: str) -> bool:
    return someone.page.get_by_role("button", name=text, exact=True).count() > 0


def is_allowed(someone: Person, offer: Offer) -> bool:
    """Return whether the server denies the call: rights are checked before the input."""
    return someone.ask(offer.method, offer.path, {"no-such-field": 1}).status != DENIED
