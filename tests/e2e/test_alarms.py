"""Alarms in the seeded organisation: a rule is added, fires, is acknowledged and silenced."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from portal.demo import organisation
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import Person
from tests.e2e.training import hold_gpus_since
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(420)]
SitDown = Callable[[Launched, Words], Person]
COLLEAGUE = organisation.TEAMS[1].people[0]
JUDGED_AFTER_MINUTES = 11
"""Work that has held its GPUs for less than ten minutes is not judged."""
EVALUATED_MS = 150_000
"""Rules are held against the facts every minute, and again on a busy machine."""


def test_a_rule_is_added_fires_is_acknowledged_and_silenced(
    platform: Launched, person: SitDown, robot: Pipeline
) -> None:
    name = "asleep on a GPU"
    work = robot.started(name, "sleep 600", gpus=1, time_limit_s=7200)
    robot.wait(work, "running")
    hold_gpus_since(platform, work, minutes=JUDGED_AFTER_MINUTES)
    admin = person(platform, ENGLISH)
    admin.sign_in("admin")
    admin.page.goto(f"{platform.url}/alarms")
    expect(admin.page.get_by_role("heading", name="Alarms", exact=True)).to_be_visible()
    add_rule(admin.page)
    acknowledge_and_silence(admin.page, name)

    head = person(platform, CHINESE)
    head.sign_in(organisation.TEAMS[0].people[0])
    head.page.goto(f"{platform.url}/alarms")
    expect(head.page.get_by_role("heading", name="告警", exact=True)).to_be_visible()
    expect(head.page.get_by_role("table", name="正在触发")).to_contain_text("已确认")
    expect(head.page.get_by_role("tab", name="规则")).to_be_visible()
    head.page.get_by_role("button", name="通知").click()
    notices = head.page.get_by_role("list", name="通知")
    notices.get_by_role("button", name=f"加速卡占而不用：{name}").click()
    expect(head.page).to_have_url(f"{platform.url}/jobs/{work}")

    stranger = person(platform, CHINESE)
    stranger.sign_in(COLLEAGUE)
    stranger.page.goto(f"{platform.url}/alarms")
    expect(stranger.page.get_by_text("没有告警")).to_be_visible()
    robot.cancel(work)


def add_rule(page: Page) -> None:
    """Add a rule that fires as soon as work has used less than all of its GPU."""
    page.get_by_role("tab", name="Rules").click()
    rules = page.get_by_role("table", name="Rules")
    expect(rules.get_by_role("row", name="Hot GPU")).to_be_visible(timeout=EVALUATED_MS)
    page.get_by_role("button", name="Add a rule", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("GPU held idle")
    dialog.get_by_label("Name", exact=True).fill("idle at once")
    dialog.get_by_label("At most").fill("99")
    dialog.get_by_label("For", exact=True).fill("0")
    dialog.get_by_role("button", name="Try it", exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("in the last")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(rules.get_by_role("row", name="idle at once")).to_contain_text("at most 99 %")


def acknowledge_and_silence(page: Page, name: str) -> None:
    """Wait until the alarm fires, then acknowledge and silence it."""
    dialog = page.get_by_role("dialog")
    page.get_by_role("tab", name="Firing").click()
    firing = page.get_by_role("table", name="Firing").get_by_role("row", name=name)
    expect(firing).to_contain_text("idle at once", timeout=EVALUATED_MS)
    page.get_by_role("button", name=f"Acknowledge {name}", exact=True).click()
    dialog.get_by_label("Comment").fill("a long import")
    dialog.get_by_role("button", name="Acknowledge", exact=True).click()
    expect(firing).to_contain_text("a long import")
    page.get_by_role("button", name=f"Silence {name}", exact=True).click()
    dialog.get_by_label("Reason").fill("until the paper is out")
    dialog.get_by_role("button", name="Silence", exact=True).click()
    expect(dialog).to_have_count(0)
    page.get_by_role("tab", name="Silences").click()
    silences = page.get_by_role("table", name="Silences")
    expect(silences.get_by_role("row", name=name)).to_contain_text("until the paper is out")
