"""Sites whose one Docker engine is real: a portal that sweeps and schedules, and nodes of two pools."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.onebox.engine import EngineEndpoint
from tests.builders.machines import a_pool
from tests.integration.containers.promises import SiteOfPromises
from tests.nodeagent.faults.control import a_control
from tests.nodeagent.faults.hosts import Host, a_host
from tests.nodeagent.faults.site import a_site
from tests.tiny_image import tiny_engine

HASTE = {"min_runtime_s": 0, "grace_s": 3}
"""Work may be evicted at once, and has three seconds from its notice to its end."""


@pytest.fixture(scope="session")
def promises_engine() -> Iterator[EngineEndpoint]:
    """An engine with the tiny image."""
    with tiny_engine() as engine:
        yield engine


@pytest.fixture(scope="session")
def promises_host() -> Iterator[Host]:
    """One host in a network namespace of its own."""
    with a_host(7) as host:
        yield host


@pytest.fixture
def site(
    transactional_db: None,
    redis_url: str,
    set_site: Callable[..., None],
    promises_host: Host,
    promises_engine: EngineEndpoint,
    tmp_path: Path,
) -> Iterator[SiteOfPromises]:
    """A site without nodes: each test adds those that it needs."""
    # On a busy machine a node that is not heard for three of these takes no work for a while.
    set_site(heartbeat_s=1.5, lease_ttl_s=60.0, lease_grace_s=30.0)
    lender = a_pool("development")
    with (
        a_control() as control,
        a_site(control, [promises_host], promises_engine, tmp_path) as home,
    ):
        for pool in (home.pool, lender):
            pool.policy = dict(HASTE)
            pool.save()
        yield SiteOfPromises(home, replace(home, pool=lender))
