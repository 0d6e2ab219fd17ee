"""Usage as every role reads it, prices as an administrator sets them; in both languages."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(420)]
SitDown = Callable[[Launched, Words], Person]
COLLEAGUE = organisation.TEAMS[0].people[0]


def test_held_gpus_are_shown_with_what_they_cost(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    admin = person(platform, ENGLISH)
    admin.sign_in("admin")
    page = admin.page
    page.goto(f"{platform.url}/prices")
    model = robot.get("/nodes")["results"][0]["accelerators"][0]["model"]
    # The seeded organisation has a price for what it has.
    expect(page.get_by_role("row", name=model).first).to_contain_text("2.50")
    if not page.get_by_role("cell", name="H200").count():
        page.get_by_role("button", name="Set a price", exact=True).click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("GPU model").fill("H200")
        dialog.get_by_label("Per GPU-hour").fill("12.5")
        dialog.get_by_role("button", name="Set price", exact=True).click()
    expect(page.get_by_role("row", name="H200").first).to_contain_text("12.50")

    work = robot.started("held for the meter", "sleep 5", gpus=1)
    robot.wait(work, "terminal")
    page.goto(f"{platform.url}/usage")
    expect(page.get_by_role("heading", name="Usage", exact=True)).to_be_visible()
    # The meter counts every minute, and the page asks as often.
    table = page.get_by_role("table", name="Usage by subject")
    expect(table).to_contain_text(organisation.TEAMS[0].title_en, timeout=200_000)
    expect(page.get_by_test_id("cluster-weeks")).to_contain_text("simulated GPUs")
    with page.expect_download() as report:
        page.get_by_role("link", name="PDF", exact=True).click()
    assert report.value.suggested_filename.endswith(".pdf")
    with page.expect_download() as sheet:
        page.get_by_role("link", name="Download CSV", exact=True).click()
    assert sheet.value.suggested_filename.endswith(".csv")

    page.get_by_role("link", name="Open report", exact=True).click()
    groups = page.get_by_role("table", name="By group")
    expect(groups).to_contain_text(organisation.TEAMS[0].title_en)
    for kind in ("PDF", "CSV"):
        with page.expect_download() as file:
            page.get_by_role("link", name=kind, exact=True).click()
        assert file.value.suggested_filename.endswith(kind.lower())

    member = person(platform, CHINESE)
    member.sign_in(COLLEAGUE)
    member.page.goto(f"{platform.url}/usage")
    expect(member.page.get_by_role("heading", name="用量", exact=True)).to_be_visible()
    expect(member.page.get_by_role("region", name="首次启动前的等待")).to_be_visible()
    expect(member.page.get_by_test_id("cluster-weeks")).to_have_count(0)
