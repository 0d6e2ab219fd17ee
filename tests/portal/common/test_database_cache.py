"""The cache that holds the sign-in limits."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection

from portal.common.clock import freeze, now
from portal.common.database_cache import UpsertCache
from tests import stores

CALLERS = 8
NOISE = "common_cache_pkey"


class SmallCache(UpsertCache):
    """Room for three entries."""

    entries_max = 3


@pytest.fixture(autouse=True)
def _empty(db: None) -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def test_a_value_is_kept_and_replaced_until_it_expires() -> None:
    cache.set("key", [1, 2], 60)
    cache.set("key", [3], 60)
    assert cache.get("key") == [3]
    cache.set("short", 1, 0)
    assert cache.get("short") is None
    cache.set("ever", 1, None)
    assert cache.get("ever") == 1


def test_a_key_is_added_once_and_again_after_its_end() -> None:
    assert cache.add("lock", 1, timeout=60)
    assert not cache.add("lock", 2, timeout=60)
    assert cache.get("lock") == 1
    with freeze(now() + timedelta(seconds=61)):
        assert cache.add("lock", 3, timeout=120)


def test_a_touched_key_lives_on() -> None:
    cache.set("key", 1, 60)
    assert cache.touch("key", 120)
    assert not cache.touch("other", 120)


def test_beyond_the_most_entries_those_that_end_next_go() -> None:
    small = SmallCache("common_cache", {})
    for number in range(5):
        small.set(f"key-{number}", number, 60 + number)
    small.set("expired", 1, 0)
    assert [small.get(f"key-{number}") for number in range(5)] == [None, None, 2, 3, 4]


@pytest.mark.django_db(transaction=True)
def test_f10_one_of_many_at_once_gets_a_lock_and_postgresql_logs_no_error() -> None:
    ready = Barrier(CALLERS)
    logged = stores.POSTGRES_LOG.read_text(errors="replace").count(NOISE)

    def add(_: int) -> bool:
        ready.wait(timeout=60)
        try:
            return bool(cache.add("lock", 1, timeout=60))
        finally:
            connection.close()

    with ThreadPoolExecutor(CALLERS) as threads:
        assert sum(threads.map(add, range(CALLERS))) == 1
    assert stores.POSTGRES_LOG.read_text(errors="replace").count(NOISE) == logged


def test_a_database_that_is_away_is_not_taken_for_a_refusal() -> None:
    def away(*_: object) -> None:
        raise OperationalError("away")

    with connection.execute_wrapper(away), pytest.raises(OperationalError):
        cache.add("lock", 1, timeout=60)
