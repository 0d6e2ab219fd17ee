"""Fixtures of the browser and container tests.

platform            the real launcher with the process runtime, one for the whole run
mailbox             the mails that it has sent
docker_platform     the same with real containers and a registry, one for its module
hub                 that registry
chromium, person    the distribution's browser, and somebody who sits before it
robot               a pipeline with the robot token of the `vision` group
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.docker_engine import docker_engine
from tests.docker_registry import DockerRegistry, docker_registry
from tests.e2e.browsing import seats, started_chromium
from tests.e2e.pipeline import Pipeline
from tests.e2e.story import SitDown
from tests.launcher import Launched, running
from tests.smtp_sink import SmtpSink, smtp_sink


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
    with started_chromium() as browser:
        yield browser


@pytest.fixture
def robot(platform: Launched) -> Pipeline:
    return Pipeline(platform.url, platform.demo["robot_token"])


@pytest.fixture
def person(chromium: Browser, tmp_path: Path) -> Iterator[SitDown]:
    with seats(chromium, tmp_path) as sit_down:
        yield sit_down
