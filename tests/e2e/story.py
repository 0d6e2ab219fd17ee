"""The steps of a person at the browser: each does one thing and sees that it happened."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from playwright.sync_api import APIResponse, Locator, Page, expect

from tests.e2e.words import Words

START_MS = 120_000


class Site(Protocol):
    """A platform that answers, however it was started."""

    @property
    def url(self) -> str:
        """Return its first origin."""

    @property
    def demo(self) -> Any:
        """Return the logins of its demo."""

    @property
    def password(self) -> str:
        """Return the password of every seeded person."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody signed in to one platform, in one language."""

    page: Page
    platform: Site
    words: Words

    def sign_in(self, username: str, password: str = "") -> None:
        """Go to the first page, fill the form, and arrive."""
        self.page.goto(self.platform.url)
        self.enter_password(username, password)
        expect(self.page).to_have_url(f"{self.platform.url}/")
        expect(self.page.locator("html")).to_have_attribute("lang", self.words.language)

    def enter_password(self, username: str, password: str = "") -> None:
        """Fill the form of sign-in, and send it; without a password, that of the seeded people."""
        self.page.get_by_role("textbox", name=self.words.username).fill(username)
        self.page.get_by_label(self.words.password, exact=True).fill(
            password or self.platform.password
        )
        press(self.page, self.words.sign_in)

    def create_notebook(self, name: str) -> None:
        """Fill the form with its defaults and wait until the notebook runs."""
        self.page.goto(f"{self.platform.url}/notebooks/new")
        self.page.get_by_role("textbox", name=self.words.name, exact=True).fill(name)
        expect(self.page.get_by_test_id("start-preview")).to_have_attribute(
            "data-verdict", "starts_now"
        )
        self.page.get_by_role("button", name=self.words.create_notebook, exact=True).click()
        self.sees_state("running")

    def open_notebook(self) -> Page:
        """Follow "Open" into JupyterLab, which has an origin of its own."""
        with self.page.expect_popup() as popup:
            self.page.get_by_role("button", name=self.words.open, exact=True).click()
        lab = popup.value
        expect(lab.locator(".jp-DirListing-content").first).to_be_visible()
        assert not lab.url.startswith(self.platform.url)
        return lab

    def stop_notebook(self) -> None:
        """Stop it and wait until it is suspended."""
        self.page.get_by_role("button", name=self.words.stop, exact=True).click()
        self.page.get_by_role("button", name=self.words.stop_notebook, exact=True).click()
        self.sees_state("suspended")

    def start_notebook(self) -> None:
        """Start it again and wait until it runs."""
        self.page.get_by_role("button", name=self.words.start, exact=True).click()
        self.sees_state("running")

    def submit_job(self, name: str, script: str) -> None:
        """Submit a script with the form's other defaults."""
        self.page.goto(f"{self.platform.url}/jobs/new")
        self.page.get_by_role("textbox", name=self.words.name, exact=True).fill(name)
        self.page.get_by_role("textbox", name=self.words.script, exact=True).fill(script)
        self.page.get_by_role("button", name=self.words.submit_job, exact=True).click()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call the API as the page would, and return its JSON; fail if it refuses."""
        answer = self.ask(method, path, body)
        assert answer.ok, answer.text()
        return answer.json() if answer.text() else None

    def ask(self, method: str, path: str, body: Any = None) -> APIResponse:
        """Call the API as the page would."""
        cookies = {each.get("name"): each.get("value") for each in self.page.context.cookies()}
        prefix = "__Host-" if self.platform.url.startswith("https:") else ""
        return self.page.request.fetch(
            f"{self.platform.url}/api/v1/{path}",
            method=method,
            headers={
                "X-CSRFToken": str(cookies[f"{prefix}berth-csrf"]),
                "Referer": self.platform.url,
            },
            data=body,
        )

    def sees_state(self, state: str) -> None:
        """Watch the page until it shows this state; nobody reloads it."""
        shown = self.page.get_by_test_id("workload-state").first
        expect(shown).to_have_attribute("data-state", state)


SitDown = Callable[[Site, Words], Person]
"""Seats somebody at a fresh browser."""


def press(scope: Page | Locator, name: str) -> None:
    """Press the button of exactly this name."""
    scope.get_by_role("button", name=name, exact=True).click()


def unfold(page: Page, title: str) -> None:
    """Open a folded section of a form."""
    page.get_by_role("heading", name=title, exact=True).click()


def choose(scope: Page | Locator, name: str, option: str) -> None:
    """Open a list and choose one of its options."""
    scope.get_by_role("combobox", name=name, exact=True).click()
    page = scope if isinstance(scope, Page) else scope.page
    shown = page.locator(".ant-select-dropdown:visible .ant-select-item-option")
    shown.filter(has_text=option).first.click()


def run_cell(lab: Page, source: str, output: str) -> None:
    """Make a Python notebook in JupyterLab, run one cell and see its output."""
    cell = make_notebook(lab)
    run_in(cell, source)
    expect(cell.locator(".jp-OutputArea-output")).to_have_text(output)


def make_notebook(lab: Page) -> Locator:
    """Make a Python notebook in JupyterLab, in English or Chinese; return its cell once its kernel can run it."""
    lab.locator(".jp-LauncherCard").first.click()
    # The notebook's own indicator is idle before there is a kernel; the status bar is not.
    kernel = lab.get_by_role("contentinfo").get_by_role(
        "button", name=re.compile(r"\| (Idle|空闲)")
    )
    expect(kernel).to_be_visible()
    return lab.locator(".jp-Notebook .jp-CodeCell").first


def run_in(cell: Locator, source: str) -> None:
    """Run source in an empty cell; a key that comes before the editor has the focus is a command of the page."""
    editor = cell.locator(".cm-content")
    editor.click()
    expect(editor).to_be_focused()
    cell.page.keyboard.insert_text(source)
    expect(editor.locator(".cm-line")).to_have_text(source.split("\n"))
    cell.page.keyboard.press("Shift+Enter")
