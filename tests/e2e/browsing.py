"""The distribution's browser, and people who sit before it; shared by all tests that drive pages."""

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, BrowserContext, Response, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.chromium import chromium_path
from tests.e2e.story import START_MS, Person, SitDown, Site
from tests.e2e.words import Words

DEAF_BROWSER: Final = Path(__file__).with_name("deaf_browser.py")
FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic"),
    "--disable-background-networking",
)
TEXT_MAX: Final = 4_000
PICTURE_MS: Final = 10_000
LOCALES: Final = {"en": "en-US", "zh-CN": "zh-CN"}
log = logging.getLogger(__name__)
expect.set_options(timeout=START_MS)  # nothing here measures; a busy machine takes its time


@contextmanager
def started_chromium() -> Iterator[Browser]:
    """Start the browser."""
    path = chromium_path()
    assert path is not None, "no Chromium; make test installs it"
    with sync_playwright() as playwright:
        env: dict[str, str | float | bool] = {**os.environ, "BROWSER": str(path)}
        browser = playwright.chromium.launch(
            executable_path=DEAF_BROWSER, args=list(FLAGS), env=env
        )
        yield browser
        browser.close()


@contextmanager
def seats(chromium: Browser, folder: Path, *, trusts_all: bool = False) -> Iterator[SitDown]:
    """Seat people at fresh browsers; pytest shows what they saw last when their test fails.

    `trusts_all`: certificates of any authority will do.
    """
    with ExitStack() as stack:

        def sit_down(platform: Site, words: Words) -> Person:
            # A click counts only where it was pressed and released: nothing may move in between.
            context = chromium.new_context(
                ignore_https_errors=trusts_all,
                locale=LOCALES[words.language],
                viewport={"width": 1366, "height": 900},
                reduced_motion="reduce",
            )
            context.set_default_timeout(START_MS)
            stack.callback(context.close)
            stack.callback(_keep_pictures, context, folder)
            _log_faults(context)
            return Person(context.new_page(), platform, words)

        yield sit_down


def _keep_pictures(context: BrowserContext, folder: Path) -> None:
    for number, page in enumerate(context.pages):
        log.warning("last seen: %s\n%s", page.url, page.inner_text("body")[:TEXT_MAX])
        with suppress(PlaywrightError):  # what is only for readers fails no test
            page.screenshot(path=folder / f"page-{number}.png", timeout=PICTURE_MS)


def _log_faults(context: BrowserContext) -> None:
    """Log what goes wrong between the pages and the platform."""
    context.on("weberror", lambda fault: log.warning("uncaught: %s", fault.error))
    context.on("requestfailed", lambda sent: log.warning("%s: %s", sent.failure, sent.url))
    context.on("response", _log_refusal)


def _log_refusal(answer: Response) -> None:
    if answer.status >= HTTPStatus.BAD_REQUEST:
        log.warning("%s: %s %s", answer.status, answer.request.method, answer.url)
