"""Hosts for the whole run; a portal, nodes and work for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from deploy.onebox.engine import Engine
from tests.nodeagent.faults.control import a_control
from tests.nodeagent.faults.hosts import Host, a_host
from tests.nodeagent.faults.site import Site, a_site
from tests.tiny_image import tiny_engine


@pytest.fixture(scope="session")
def fault_engine() -> Iterator[Engine]:
    """An engine with the tiny image."""
    with tiny_engine() as engine:
        yield engine


@pytest.fixture(scope="session")
def hosts() -> Iterator[list[Host]]:
    """Two hosts, each in a network namespace of its own."""
    with a_host(0) as first, a_host(1) as second:
        yield [first, second]


@pytest.fixture
def site(
    transactional_db: None,
    redis_url: str,
    settings: Settings,
    hosts: list[Host],
    fault_engine: Engine,
    tmp_path: Path,
) -> Iterator[Site]:
    """A portal that sweeps and schedules, with a long lease: nothing ends by being slow."""
    settings.HEARTBEAT_S, settings.LEASE_TTL_S, settings.LEASE_GRACE_S = 0.3, 60.0, 30.0
    with a_control() as control, a_site(control, hosts, fault_engine, tmp_path) as site:
        yield site


@pytest.fixture
def hasty_site(settings: Settings, site: Site) -> Site:
    """The same with a lease of a tenth: what it is for ends soon.

    The grace is not scaled as much: in it an engine on a busy machine must end its containers.
    """
    settings.LEASE_TTL_S, settings.LEASE_GRACE_S = 3.0, 6.0
    return site
