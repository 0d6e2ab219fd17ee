"""Choosing GPUs in the form, and a quota of one model, in a real browser in both languages."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, expect

from portal.demo import organisation
from tests.e2e.story import Person
from tests.e2e.words import CHINESE, ENGLISH, Words
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
SitDown = Callable[[Launched, Words], Person]
DEVELOPER = organisation.TEAMS[1].people[1]
MODEL: Final = "Simulated 32GB"
"""What every card of the platform under test is."""


@dataclass(frozen=True, slots=True)
class ModelWords:
    """Accessible names of the choice and of the dialog."""

    words: Words
    advanced: str
    models: str
    memory: str
    details: str
    chosen: str
    add_limit: str
    group: str
    model: str
    ceiling: str
    guarantee: str
    save: str
    remove: str
    gpus: str
    all_pools: str


SAID: Final = (
    ModelWords(
        words=ENGLISH,
        advanced="Which GPUs (advanced)",
        models="GPU models",
        memory="Memory per GPU at least (GiB)",
        details="Details",
        chosen="Chosen GPUs",
        add_limit="Add a limit",
        group="Group",
        model="GPU model",
        ceiling="Ceiling",
        guarantee="Guarantee",
        save="Save limits",
        remove="Remove",
        gpus="GPUs",
        all_pools="all pools",
    ),
    ModelWords(
        words=CHINESE,
        advanced="指定加速卡（高级）",
        models="加速卡型号",
        memory="单卡显存至少（GiB）",
        details="详情",
        chosen="指定加速卡",
        add_limit="添加限制",
        group="用户组",
        model="加速卡型号",
        ceiling="上限",
        guarantee="保障",
        save="保存限制",
        remove="移除",
        gpus="加速卡",
        all_pools="全部资源池",
    ),
)
LANGUAGES = pytest.mark.parametrize("said", SAID, ids=lambda said: said.words.language)


def choose(scope: Page | Locator, page: Page, name: str, option: str) -> None:
    """Open a list and choose one of its options."""
    scope.get_by_role("combobox", name=name, exact=True).click()
    page.locator(".ant-select-item-option", has_text=option).last.click()


@LANGUAGES
def test_a_job_chooses_its_gpus_and_its_page_says_which(
    platform: Launched, person: SitDown, said: ModelWords
) -> None:
    someone = person(platform, said.words)
    someone.sign_in(DEVELOPER)
    page = someone.page
    page.goto(f"{platform.url}/jobs/new")
    page.get_by_role("textbox", name=said.words.name, exact=True).fill(
        f"chooses {said.words.language}"
    )
    page.get_by_text(said.advanced, exact=True).click()
    choose(page, page, said.models, MODEL)
    page.keyboard.press("Escape")
    page.get_by_role("spinbutton", name=said.memory, exact=True).fill("16")
    expect(page.get_by_test_id("start-preview")).to_have_attribute("data-verdict", "starts_now")
    with page.expect_response(lambda answer: answer.url.endswith("/api/v1/jobs")) as sent:
        page.get_by_role("button", name=said.words.submit_job, exact=True).click()
    asked = json.loads(sent.value.request.post_data or "{}")
    assert (asked["gpu_models"], asked["gpu_memory_min_mib"]) == ([MODEL], 16_384)
    someone.sees_state("succeeded")
    page.get_by_role("tab", name=said.details, exact=True).click()
    expect(page.get_by_text(said.chosen, exact=True)).to_be_visible()
    expect(page.get_by_text(f"{MODEL} · ≥ 16")).to_be_visible()


@LANGUAGES
def test_a_quota_of_one_model_is_added_and_has_ceilings_only(
    platform: Launched, person: SitDown, said: ModelWords
) -> None:
    someone = person(platform, said.words)
    someone.sign_in("admin")
    page = someone.page
    page.goto(f"{platform.url}/quotas")
    page.get_by_role("button", name=said.add_limit, exact=True).click()
    dialog = page.get_by_role("dialog")
    group = dialog.get_by_role("combobox", name=said.group, exact=True)
    group.click()
    page.locator(".ant-select-item-option").first.click()
    expect(dialog.get_by_role("spinbutton", name=said.guarantee, exact=True)).to_be_visible()
    choose(dialog, page, said.model, MODEL)
    expect(dialog.get_by_role("spinbutton", name=said.guarantee, exact=True)).to_be_hidden()
    dialog.get_by_role("spinbutton", name=said.ceiling, exact=True).fill("3")
    with page.expect_response(lambda answer: answer.request.method == "POST") as made:
        dialog.get_by_role("button", name=said.save, exact=True).click()
    row = made.value.json()
    assert (row["model"], row["ceiling"], row["pool"]) == (MODEL, 3000, None)
    line = f"{said.gpus} · {MODEL} · {said.all_pools}"
    expect(page.get_by_text(line, exact=True)).to_be_visible()
    cookies = {each["name"]: each["value"] for each in page.context.cookies()}
    removed = page.request.delete(
        f"{platform.url}/api/v1/quotas/{row['id']}",
        headers={"X-CSRFToken": cookies["berth-csrf"], "Referer": platform.url},
    )
    assert removed.status == 204
