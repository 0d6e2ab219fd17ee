"""Fixtures of the browser and container tests.

platform            the real launcher with the process runtime, one for the whole run
mailbox             the mails that it has sent
docker_platform     the same with real containers and a registry, one for its module
hub                 that registry
chromium, person    the distribution's browser, and somebody who sits before it
robot               a pipeline with the robot token of the `vision` group
"""

import logging
import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http import HTTPStatus
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Response,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

from tests.chromium import chromium_path
from tests.docker_engine import docker_engine
from tests.docker_registry import DockerRegistry, docker_registry
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import START_MS, Person, SitDown, Site
from tests.e2e.words import Words
from tests.launcher import Launched, running
from tests.smtp_sink import SmtpSink, smtp_sink

DEAF_BROWSER = Path(__file__).with_name("deaf_browser.py")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
expect.set_options(timeout=START_MS)  # nothing here measures; a busy machine takes its time
TEXT_MAX = 4_000
PICTURE_MS = 10_000
log = logging.getLogger(__name__)
LOCALES = {"en": "en-US", "zh-CN": "zh-CN"}


@pytest.fixture(scope="session")
def mailbox() -> Iterator[SmtpSink]:
    with smtp_sink() as sink:
        yield sink


@pytest.fixture(scope="session")
def platform(mailbox: SmtpSink) -> Iterator[Launched]:
    env = {"BERTH_EMAIL_URL": f"smtp://127.0.0.1:{mailbox.port}?plain=1"}
    with running("process", "--runtime", "process", env=env) as launched:
        yield launched


@pytest.fixture(scope="module")
def hub() -> Iterator[DockerRegistry]:
    with docker_registry() as registry:
        yield registry


@pytest.fixture(scope="module")
def docker_platform(hub: DockerRegistry) -> Iterator[Launched]:
    with docker_engine() as engine:
        arguments = ("--runtime", "docker", "--nodes", "4")
        env = {"DOCKER_HOST": engine.url, **hub.environment}
        with running("docker", *arguments, env=env) as launched:
            yield launched


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = chromium_path()
    assert path is not None, "no Chromium; make test installs it"
    with sync_playwright() as playwright:
        env: dict[str, str | float | bool] = {**os.environ, "BROWSER": str(path)}
        browser = playwright.chromium.launch(executable_path=DEAF_BROWSER, args=FLAGS, env=env)
        yield browser
        browser.close()


@pytest.fixture
def robot(platform: Launched) -> Pipeline:
    return Pipeline(platform.url, platform.demo["robot_token"])


@pytest.fixture
def person(chromium: Browser, tmp_path: Path) -> Iterator[SitDown]:
    """Seat somebody at a fresh browser; pytest shows what they saw last when their test fails."""
    with ExitStack() as stack:

        def sit_down(platform: Site, words: Words) -> Person:
            # A click counts only where it was pressed and released: nothing may move in between.
            context = chromium.new_context(
                locale=LOCALES[words.language],
                viewport={"width": 1366, "height": 900},
                reduced_motion="reduce",
            )
            context.set_default_timeout(START_MS)
            stack.callback(context.close)
            stack.callback(_keep_pictures, context, tmp_path)
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
