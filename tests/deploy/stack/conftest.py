"""One installation for all tests of this folder, and a browser before it.

engine              Docker, with the public images or what stands in for them
stack               the compose file, started by its two commands, with TLS and the demo
person              somebody who sits before the distribution's browser
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from deploy.onebox.engine import EngineEndpoint, shared_engine
from tests.chromium import chromium_path
from tests.deploy.stack.bases import bring_bases
from tests.deploy.stack.stack import UP_S, Stack, cloned, init, taken_down
from tests.docker_engine import cache_dir
from tests.e2e.story import START_MS, Person, SitDown, Site
from tests.e2e.words import Words

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
LOCALES = {"en": "en-US", "zh-CN": "zh-CN"}
DEAF_BROWSER = Path(__file__).parents[2] / "e2e" / "deaf_browser.py"
expect.set_options(timeout=START_MS)


@pytest.fixture(scope="session")
def engine() -> Iterator[EngineEndpoint]:
    with shared_engine(cache_dir() / "docker") as found:
        with found.client(timeout_s=600) as client:
            bring_bases(client)
        yield found


@pytest.fixture(scope="session")
def stack(engine: EngineEndpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = cloned(tmp_path_factory.mktemp("stack"), engine, "berthtest")
    init(made)
    with taken_down(made):
        made.compose("up", "-d", within_s=UP_S)
        yield made


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
def person(chromium: Browser) -> Iterator[SitDown]:
    with ExitStack() as stack:

        def sit_down(platform: Site, words: Words) -> Person:
            # Caddy signs for itself; that its certificate is the right one is tested apart.
            context = chromium.new_context(
                ignore_https_errors=True,
                locale=LOCALES[words.language],
                viewport={"width": 1366, "height": 900},
            )
            context.set_default_timeout(START_MS)
            stack.callback(context.close)
            return Person(context.new_page(), platform, words)

        yield sit_down
