"""The stores of the test run are real."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from redis import Redis

from portal.common.redis_client import get_redis_client
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, an_actor
from tests.builders.workloads import a_workload, an_allocation


@pytest.mark.django_db
def test_rows_of_every_builder_are_accepted_by_the_database() -> None:
    group = a_group()
    owner = a_member(group)
    pool = a_pool(slices=8)
    node = a_node(pool)
    card = node.accelerators.first()
    assert card is not None
    workload = a_workload(owner, group, pool, state="running", slices=1)
    an_allocation(workload, node, on=[(card, 0)])
    connection.check_constraints()
    assert an_actor(owner).roles == {group.pk: "developer"}


def test_redis_is_empty(redis_url: str) -> None:
    assert redis_url.startswith(("unix://", "redis://"))
    assert get_redis_client().dbsize() == 0


def test_threads_that_come_first_share_one_redis_client(set_site: Callable[..., None]) -> None:
    """A second one would close the connections of the first when it is dropped."""
    set_site(redis_url="unix:///nowhere/asked-for-here-only.sock")
    ready = Barrier(16)

    def first() -> Redis:
        ready.wait()
        return get_redis_client()

    with ThreadPoolExecutor(16) as threads:
        clients = list(threads.map(lambda _: first(), range(16)))
    assert len({id(client) for client in clients}) == 1
