"""Templates and YAML, from the form of a job to the next job that starts from them."""

import pytest
from playwright.sync_api import expect

from portal.demo import organisation
from tests.e2e.story import SitDown, choose, press, unfold
from tests.e2e.words import Words, chinese_first, english_first, filled
from tests.launcher import Launched

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
PEOPLE = organisation.TEAMS[4].people


@chinese_first
def test_a_job_is_kept_as_a_template_that_locks_its_size(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("shared/submission")["template"]
    listed = words.texts("features/templates")
    name = f"Small {words.language}"
    someone = person(platform, words)
    someone.sign_in(PEOPLE[4])
    page = someone.page
    page.goto(f"{platform.url}/jobs/new")
    page.get_by_role("textbox", name=words.script, exact=True).fill("echo from a template")
    press(page, said["save"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(words.name, exact=True).fill(name)
    unfold(page, said["settings"])
    choose(dialog, said["field"]["cpu_milli"], said["mode"]["locked"])
    most = filled(said["maxOf"], field=said["field"]["memory_mib"])
    dialog.get_by_label(most, exact=True).fill("16")
    press(dialog, said["action"])
    expect(dialog).to_have_count(0)

    page.goto(f"{platform.url}/templates")
    page.get_by_role("link", name=filled(listed["useNamed"], name=name), exact=True).click()
    expect(page.get_by_test_id("template-terms")).to_contain_text(said["field"]["cpu_milli"])
    field = words.texts("shared/submission")
    unfold(page, field["sizes"]["exact"])
    expect(page.get_by_label(field["cpu"], exact=True)).to_be_disabled()
    page.get_by_label(field["memory"], exact=True).fill("17")
    press(page, words.submit_job)
    expect(
        page.get_by_text(filled(field["outOfRange"], min=0.0625, max=16), exact=True)
    ).to_be_visible()
    page.get_by_label(field["memory"], exact=True).fill("15")
    press(page, words.submit_job)
    someone.sees_state("succeeded")
    expect(page.get_by_test_id("log")).to_contain_text("from a template")

    page.goto(f"{platform.url}/templates")
    press(page, filled(listed["removeNamed"], name=name))
    page.get_by_role("tooltip").get_by_role("button", name=listed["remove"], exact=True).click()
    expect(page.get_by_text(name, exact=True)).to_have_count(0)


@english_first
def test_a_document_is_submitted_and_a_wrong_line_is_named(
    platform: Launched, person: SitDown, words: Words
) -> None:
    said = words.texts("shared/submission")
    someone = person(platform, words)
    someone.sign_in(PEOPLE[5])
    page = someone.page
    page.goto(f"{platform.url}/jobs/new")
    page.get_by_role("textbox", name=words.script, exact=True).fill("echo first")
    press(page, words.submit_job)
    someone.sees_state("succeeded")
    job = page.url.rsplit("/", 1)[-1].split("?")[0]
    address = f"{platform.url}/api/v1/jobs/{job}/manifest?format=yaml"
    text = page.request.get(address).text().replace("echo first", "echo second")
    wrong = text.replace("cpu_milli: 4000", "cpu_milli: four")
    line = wrong[: wrong.index("cpu_milli")].count("\n") + 1

    page.goto(f"{platform.url}/jobs/new")
    press(page, said["yaml"]["open"])
    dialog = page.get_by_role("dialog")
    document = dialog.get_by_label(said["yaml"]["document"], exact=True)
    document.fill(wrong)
    press(dialog, said["yaml"]["action"])
    expect(dialog.get_by_role("alert")).to_contain_text(
        filled(words.texts("shared/ui")["line"], line=line)
    )
    document.fill(text)
    press(dialog, said["yaml"]["action"])
    someone.sees_state("succeeded")
    expect(page.get_by_test_id("log")).to_contain_text("second")


@chinese_first
def test_a_notebook_is_copied(platform: Launched, person: SitDown, words: Words) -> None:
    said = words.texts("shared/submission")
    someone = person(platform, words)
    someone.sign_in(PEOPLE[6])
    page = someone.page
    page.goto(f"{platform.url}/notebooks/new")
    memory = page.get_by_label(said["memory"], exact=True)
    unfold(page, said["sizes"]["exact"])
    memory.fill("3")
    press(page, words.create_notebook)
    someone.sees_state("running")
    details = words.texts("features/notebooks")["tab"]["details"]
    page.get_by_role("tab", name=details, exact=True).click()
    page.get_by_role("link", name=said["reuse"]["copy"], exact=True).click()
    expect(memory).to_have_value("3")
    page.goto(f"{platform.url}/notebooks/new")
    page.get_by_role("combobox", name=said["template"]["start"], exact=True).click()
    expect(page.get_by_text(said["template"]["recent"], exact=True)).to_be_visible()
