"""Inside JupyterLab: the status bar, the warning of an idle notebook, and from notebook to job."""

import json
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Error, Page, Route, expect

from portal.demo import organisation
from tests.e2e.story import Person, SitDown, press, run_cell
from tests.e2e.words import CHINESE, Words
from tests.launcher import Launched
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]
MEMBER: Final = organisation.TEAMS[1].people[3]
OWN_SERVER: Final = re.compile(r"/(api|berth)/")
"""What JupyterLab asks of its server, and of the gateway in front of it."""
PATIENT_MS: Final = 60_000
"""JupyterLab looks for its kernels and terminals every ten seconds or so."""
LOOK: Final = "document.dispatchEvent(new Event('visibilitychange'))"
"""Somebody comes back to the tab."""
FROM_ELSEWHERE: Final = "path => fetch(path, { method: 'POST' }).then(answer => answer.status)"
"""What a page without the notebook's token gets, such as one of other work on the same origin."""


def test_status_warning_and_the_way_from_notebook_to_job(
    platform: Launched, person: SitDown
) -> None:
    words = CHINESE  # JupyterLab follows the portal
    said = words.texts("jupyterlab")
    someone = person(platform, words)
    someone.sign_in(MEMBER)
    someone.create_notebook("lab")
    notebook = someone.page.url.rpartition("/")[2]
    desk = _Desk(someone)
    lab = someone.open_notebook()
    status = lab.locator("a.berth-status")
    expect(status).to_contain_text(said["ends"].partition("{{")[0])
    expect(status).to_have_attribute("href", someone.page.url)

    run_cell(lab, "print(6 * 7)", "42")
    wait_until(lambda: someone.call("GET", f"environments/{notebook}")["idle"])
    desk.is_away = True
    lab.evaluate(LOOK)
    expect(status).to_be_hidden()
    desk.is_away, desk.is_warning = False, True
    lab.evaluate(LOOK)
    expect(status).to_be_visible()
    left = said["warning"]["stop"].partition("{{")[0]
    expect(lab.locator(".Toastify__toast").filter(has_text=left)).to_be_visible()
    own = lab.url.partition("lab")[0]
    assert lab.evaluate(FROM_ELSEWHERE, f"{own}berth/keep") == 403
    desk.is_warning = False
    with lab.expect_response("**/berth/keep?*") as kept:
        lab.locator(".Toastify__toast button").filter(
            has_text=said["keep"].partition("{{")[0]
        ).click()
    assert kept.value.ok
    expect(lab.locator(".Toastify__toast").filter(has_text=left)).to_have_count(0)
    events = someone.call("GET", f"workloads/{notebook}/events")
    assert "idle_kept" in json.dumps(events)

    _loses_the_connection(lab, said)

    job = _run_as_job(someone, lab, said, words)
    outputs = someone.call("GET", f"jobs/{job}/outputs")
    assert [each["name"] for each in outputs["entries"]] == ["Untitled.ipynb"]
    done = someone.ask("GET", f"jobs/{job}/outputs/Untitled.ipynb").json()
    assert done["cells"][0]["outputs"][0]["text"] == ["42\n"]
    someone.stop_notebook()


def _loses_the_connection(lab: Page, said: Any) -> None:
    """Cut the page off until it says so; it says so without a dialog, and no more once it is back."""
    lost = lab.locator(".Toastify__toast").filter(has_text=said["disconnected"])
    lab.route(OWN_SERVER, lambda route: route.abort())
    lab.evaluate(LOOK)
    expect(lost).to_be_visible(timeout=PATIENT_MS)
    expect(lab.locator(".jp-Dialog")).to_have_count(0)
    lab.unroute(OWN_SERVER)
    expect(lost).to_have_count(0, timeout=PATIENT_MS)


class _Desk:
    """Between page and gateway: says that the notebook is about to be stopped, or nothing at all."""

    def __init__(self, someone: Person) -> None:
        self.is_warning = self.is_away = False
        someone.page.context.route("**/berth/status?*", self._answer)

    def _answer(self, route: Route) -> None:
        if self.is_away:
            route.abort()
            return
        try:
            answer = route.fetch()
        except Error:
            # The notebook ends, and with it what answered: the page sees that, too.
            route.abort()
            return
        if not self.is_warning:
            route.fulfill(response=answer)
            return
        body = answer.json()
        body["idle"] |= {"next": "stop", "next_at": body["ends_at"], "is_warned": True}
        route.fulfill(response=answer, json=body)


def _run_as_job(someone: Person, lab: Page, said: Any, words: Words) -> str:
    """Press the button of the toolbar, and submit what the portal's form then holds; return its id."""
    with lab.expect_popup() as popup:
        lab.get_by_role("button", name=said["runAsJobShort"], exact=True).click()
    form = popup.value
    name = form.get_by_role("textbox", name=words.name, exact=True)
    expect(name).to_have_value(re.compile(r"^Untitled-\d{4}-\d{4}$"))
    expect(form.get_by_text("Untitled.ipynb", exact=True).first).to_be_visible()
    # Until the preview stands, the button moves, and a click would miss it.
    verdict = form.get_by_test_id("start-preview")
    expect(verdict).to_have_attribute("data-verdict", "starts_now")
    press(form, words.submit_job)
    form.wait_for_url("**/jobs/0*")
    Person(form, someone.platform, words).sees_state("succeeded")
    return form.url.rpartition("/")[2].partition("?")[0]
