"""Fixtures of every tier.

stores      `redis_url`: an empty Redis; `redis_away`: none; PostgreSQL comes with pytest-django's
            `django_db` mark
site        `set_site(name=value)`: values of the site's configuration

Property tests draw the same examples in every run and have no deadline: a gate must not depend on
luck or load. `--hypothesis-profile=explore` looks for new ones.

Builders of rows are plain functions in `tests/builders`, signed-in REST clients in `tests/rest`.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest
from django.db import connection, connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from redis import Redis

from portal.common.site_config import get_site_config
from tests import stores
from tests.flushing import flush_past_guards
from tests.lock_order import LockOrder
from tests.site_config import override_site_config

_ON_ANY_MACHINE: Final[dict[str, Any]] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
}
hypothesis_settings.register_profile("gate", max_examples=60, derandomize=True, **_ON_ANY_MACHINE)
hypothesis_settings.register_profile("explore", max_examples=2000, **_ON_ANY_MACHINE)
hypothesis_settings.load_profile("gate")


def pytest_configure(config: pytest.Config) -> None:
    """End a terminated run like an interrupted one, so that its servers are stopped."""
    if not hasattr(config, "workerinput"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers once every worker is done."""
    if not hasattr(config, "workerinput"):
        stores.stop_all()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Start PostgreSQL before the first test database is created.

    Threads at once share few connections, and on a busy machine each waits long for its turn.
    """
    connections.databases["default"]["OPTIONS"] |= {
        "pool": {"min_size": 1, "max_size": 16, "timeout": 120},
        "options": "-c statement_timeout=120000 -c lock_timeout=60000",
    }
    stores.ensure_postgres()


_lock_order: Final = LockOrder()


@pytest.fixture(scope="session", autouse=True)
def _statements_are_looked_at() -> Iterator[None]:
    """Let the end of a test that commits empty what nobody else may; note the order of locks."""
    with connection.execute_wrapper(flush_past_guards), connection.execute_wrapper(_lock_order):
        yield


@pytest.fixture(autouse=True)
def _locks_are_in_order() -> Iterator[None]:
    _lock_order.begin()
    yield
    assert _lock_order.broken == []


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Leave the test database to the end of our own server: to drop it, everybody must be gone.

    On a busy machine the server needs seconds to notice who has left.
    """
    return stores.owns_postgres()


@pytest.fixture(scope="session")
def _redis_server() -> str:
    stores.ensure_redis()
    return str(get_site_config().redis_url)


@pytest.fixture
def redis_url(_redis_server: str) -> Iterator[str]:
    """Return the address of an empty Redis."""
    with Redis.from_url(_redis_server) as client:
        client.flushdb()
        yield _redis_server
        client.flushdb()


@pytest.fixture
def set_site() -> Iterator[Callable[..., None]]:
    """Return a function that changes values of the site's configuration for this test."""
    with ExitStack() as changed:

        def change(**changes: object) -> None:
            changed.enter_context(override_site_config(**changes))

        yield change


@pytest.fixture
def redis_away() -> Iterator[None]:
    """Let the process find no Redis."""
    with override_site_config(redis_url=f"unix://{stores.FOLDER}/nowhere.sock"):
        yield
