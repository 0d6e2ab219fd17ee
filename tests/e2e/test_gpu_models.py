"""Choosing GPUs in the form, and a quota of one model, in a real browser in both languages."""

import json
from typing import Final

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.story import SitDown, choose, unfold
from tests.e2e.words import Words, chinese_first, english_first
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
DEVELOPER = organisation.TEAMS[1].people[1]
MODEL: Final = "Simulated 32GB"
"""What every card of the platform under test is."""


@chinese_first
def test_a_job_chooses_its_gpus_and_its_page_says_which(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said, jobs = words.texts("shared/submission")["choice"], words.texts("features/jobs")
    someone = person(platform, words)
    someone.sign_in(DEVELOPER)
    page = someone.page
    page.goto(f"{platform.url}/jobs/new")
    page.get_by_role("textbox", name=words.name, exact=True).fill(f"chooses {words.language}")
    unfold(page, said["title"])
    choose(page, said["models"], MODEL)
    page.keyboard.press("Escape")
    page.get_by_role("spinbutton", name=said["memory"], exact=True).fill("16")
    expect(page.get_by_test_id("start-preview")).to_have_attribute("data-verdict", "starts_now")
    with page.expect_response(lambda answer: answer.url.endswith("/api/v1/jobs")) as sent:
        page.get_by_role("button", name=words.submit_job, exact=True).click()
    asked = json.loads(sent.value.request.post_data or "{}")
    assert (asked["gpu_models"], asked["gpu_memory_min_mib"]) == ([MODEL], 16_384)
    someone.sees_state("succeeded")
    page.get_by_role("tab", name=jobs["tab"]["details"], exact=True).click()
    expect(
        page.get_by_text(words.texts("shared/workload")["fact"]["choice"], exact=True)
    ).to_be_visible()
    expect(page.get_by_text(f"{MODEL} · ≥ 16")).to_be_visible()


@english_first
def test_a_quota_of_one_model_is_added_and_has_ceilings_only(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("features/quotas")
    someone = person(platform, words)
    someone.sign_in("admin")
    page = someone.page
    page.goto(f"{platform.url}/quotas")
    page.get_by_role("button", name=said["addQuota"], exact=True).click()
    dialog = page.get_by_role("dialog")
    group = dialog.get_by_role("combobox", name=said["column"]["group"], exact=True)
    group.click()
    page.locator(".ant-select-item-option").first.click()
    expect(
        dialog.get_by_role("spinbutton", name=said["limit"]["guarantee"], exact=True)
    ).to_be_visible()
    choose(dialog, said["model"], MODEL)
    expect(
        dialog.get_by_role("spinbutton", name=said["limit"]["guarantee"], exact=True)
    ).to_be_hidden()
    dialog.get_by_role("spinbutton", name=said["limit"]["ceiling"], exact=True).fill("3")
    with page.expect_response(lambda answer: answer.request.method == "POST") as made:
        dialog.get_by_role("button", name=said["save"], exact=True).click()
    row = made.value.json()
    assert (row["model"], row["ceiling"], row["pool"]) == (MODEL, 3000, None)
    gpus = words.texts("shared/cluster")["quota"]["resource"]["gpu"]
    line = " · ".join((gpus, MODEL, said["allPools"]))
    expect(page.get_by_text(line, exact=True)).to_be_visible()
    someone.call("DELETE", f"quotas/{row['id']}")
