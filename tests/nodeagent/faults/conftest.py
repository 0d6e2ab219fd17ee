"""Hosts for the whole run; a portal, nodes and work for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy.onebox.engine import EngineEndpoint
from tests.nodeagent.faults.control import a_control
from tests.nodeagent.faults.hosts import Host, a_host
from tests.nodeagent.faults.site import Site, a_site
from tests.tiny_image import tiny_engine


@pytest.fixture(scope="session")
def fault_engine() -> Iterator[EngineEndpoint]:
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
    set_site: Callable[..., None],
    hosts: list[Host],
    fault_engine: EngineEndpoint,
    tmp_path: Path,
) -> Iterator[Site]:
    """A portal that sweeps and schedules, with a long lease: nothing ends by being slow."""
    set_site(heartbeat_s=0.3, lease_ttl_s=60.0, lease_grace_s=30.0)
    with a_control() as control, a_site(control, hosts, fault_engine, tmp_path) as site:
        yield site


@pytest.fixture
def hasty_site(set_site: Callable[..., None], site: Site) -> Site:
    """The same with a lease of a tenth: what it is for ends soon.

    The grace is not scaled as much: in it an engine on a busy machine must end its containers.
    """
    set_site(lease_ttl_s=3.0, lease_grace_s=6.0)
    return site
