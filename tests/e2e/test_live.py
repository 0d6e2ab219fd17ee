"""Two people at their browsers: what one does, the other sees, for as long as it may; nobody reloads."""

import pytest
from playwright.sync_api import Locator, Page, expect

from portal.demo import organisation
from tests.e2e.story import Person, SitDown
from tests.e2e.words import ENGLISH
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
TEAM = organisation.TEAMS[2]
HEAD, MEMBER = TEAM.people[0], TEAM.people[3]
SEEN_MS = 12_000
"""Below the 15 s after which a page without its socket looks again; usually it is under 1 s."""


def test_a_head_sees_a_members_job_appear_run_and_end(platform: Launched, person: SitDown) -> None:
    head, member = person(platform, ENGLISH), person(platform, ENGLISH)
    head.sign_in(HEAD)
    member.sign_in(MEMBER)
    follow_jobs(head)

    member.submit_job("seen by the head", "sleep 20")

    seen = row_of(head.page, "seen by the head")
    expect(seen).to_be_visible(timeout=SEEN_MS)
    member.sees_state("running")
    expect(seen.locator("[data-state=running]")).to_be_visible(timeout=SEEN_MS)
    member.sees_state("succeeded")
    expect(seen).to_have_count(0, timeout=SEEN_MS)
    assert was_never_loaded_again(head.page)


def test_rights_that_are_taken_away_end_the_stream(platform: Launched, person: SitDown) -> None:
    admin, guest, member = (person(platform, ENGLISH) for _ in range(3))
    admin.sign_in(organisation.ADMIN)
    account = admin.call("POST", "users", {"username": "e2e-guest", "display_name": "Guest"})
    groups = admin.call("GET", "groups")["results"]
    members = f"groups/{next(row['id'] for row in groups if row['name'] == TEAM.name)}/members"
    admin.call("POST", members, {"username": "e2e-guest", "role": "viewer"})
    guest.sign_in("e2e-guest", account["password"])
    member.sign_in(MEMBER)
    follow_jobs(guest)
    member.submit_job("seen by the guest", "sleep 600")
    expect(row_of(guest.page, "seen by the guest")).to_be_visible(timeout=SEEN_MS)

    admin.call("DELETE", f"{members}/{account['id']}")

    expect(row_of(guest.page, "seen by the guest")).to_have_count(0, timeout=SEEN_MS)
    assert was_never_loaded_again(guest.page)
    # The guest may see the job before its owner's page has gone there.
    expect(member.page.get_by_test_id("workload-state").first).to_be_visible()
    member.call("POST", f"jobs/{member.page.url.rpartition('/')[2]}/cancel")


def test_an_open_folder_shows_what_a_colleague_does_there(
    platform: Launched, person: SitDown
) -> None:
    head, member = person(platform, ENGLISH), person(platform, ENGLISH)
    head.sign_in(HEAD)
    member.sign_in(MEMBER)
    groups = head.call("GET", "groups")["results"]
    group = next(row["id"] for row in groups if row["name"] == TEAM.name)
    new = {"group": group, "name": "seen-live", "quota_mib": 100}
    volume = head.call("POST", "volumes", new)["id"]
    head.call("POST", f"volumes/{volume}/folders", {"path": "run 1/深"})
    follow(head, f"files?volume={volume}&path=run 1", "files:")
    expect(entry_of(head.page, "深")).to_be_visible()

    member.call("POST", f"volumes/{volume}/folders", {"path": "run 1/of a colleague"})

    expect(entry_of(head.page, "of a colleague")).to_be_visible(timeout=SEEN_MS)
    member.call("POST", f"volumes/{volume}/files/trash", {"paths": ["run 1/深"]})
    expect(entry_of(head.page, "深")).to_have_count(0, timeout=SEEN_MS)
    assert was_never_loaded_again(head.page)


def follow_jobs(someone: Person) -> None:
    """Open the list of jobs, and wait until the page is notified of the group's work."""
    follow(someone, "jobs", "group:")


def follow(someone: Person, address: str, topic: str) -> None:
    """Open a page, and wait until it is notified of a topic that begins with this."""
    page = someone.page
    with page.expect_websocket() as opened:
        page.goto(f"{someone.platform.url}/{address}")
    opened.value.wait_for_event(
        "framereceived", lambda frame: f'"subscribed","topic":"{topic}' in str(frame)
    )
    page.evaluate("window.stays = true")


def entry_of(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def row_of(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has_text=name)


def was_never_loaded_again(page: Page) -> bool:
    return bool(page.evaluate("window.stays === true"))
