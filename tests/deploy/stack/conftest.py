"""One installation for all tests of this folder, and a browser before it.

engine              Docker, with the public images or what stands in for them
stack               the compose file, started by its two commands, with TLS and the demo
person              somebody who sits before the distribution's browser
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from deploy.onebox.engine import EngineEndpoint, shared_engine
from tests.deploy.stack.bases import bring_bases
from tests.deploy.stack.stack import UP_S, Stack, cloned, init, taken_down
from tests.docker_engine import cache_dir
from tests.e2e.browsing import seats, started_chromium
from tests.e2e.story import SitDown


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
    with started_chromium() as browser:
        yield browser


@pytest.fixture
def person(chromium: Browser, tmp_path: Path) -> Iterator[SitDown]:
    # Caddy signs for itself; that its certificate is the right one is tested apart.
    with seats(chromium, tmp_path, trusts_all=True) as sit_down:
        yield sit_down
