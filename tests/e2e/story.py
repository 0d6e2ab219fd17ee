"""The steps of a person at the browser: each does one thing and sees that it happened."""

from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.e2e.words import Words
from tests.launcher import Launched

START_MS = 120_000


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody signed in to one platform, in one language."""

    page: Page
    platform: Launched
    words: Words

    def sign_in(self, username: str) -> None:
        """Go to the first page, fill the form, and arrive."""
        self.page.goto(self.platform.url)
        self.page.get_by_role("textbox", name=self.words.username).fill(username)
        self.page.get_by_label(self.words.password, exact=True).fill(self.platform.password)
        self.page.get_by_role("button", name=self.words.sign_in, exact=True).click()
        expect(self.page).to_have_url(f"{self.platform.url}/")
        expect(self.page.locator("html")).to_have_attribute("lang", self.words.language)

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

    def sees_state(self, state: str) -> None:
        """Watch the page until it shows this state; nobody reloads it."""
        shown = self.page.get_by_test_id("workload-state").first
        expect(shown).to_have_attribute("data-state", state)


def run_cell(lab: Page, source: str, output: str) -> None:
    """Make a Python notebook in JupyterLab, run one cell and see its output."""
    lab.locator('.jp-LauncherCard[data-category="Notebook"]').first.click()
    # The notebook's own indicator is idle before there is a kernel; the status bar is not.
    kernel = lab.get_by_role("contentinfo").get_by_role("button", name="| Idle")
    expect(kernel).to_be_visible()
    cell = lab.locator(".jp-Notebook .jp-CodeCell").first
    cell.locator(".cm-content").click()
    lab.keyboard.type(source)
    lab.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-OutputArea-output")).to_have_text(output)
