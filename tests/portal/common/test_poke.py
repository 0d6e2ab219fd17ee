"""Wake-ups are sent after commit, once, and never cost more than themselves."""

import json

import pytest
from django.db import transaction
from redis.client import PubSub

from portal.common.poke import CHANNEL, SCHEDULER, poke, scheduler_pass_begins
from portal.common.redis_client import redis_client
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_poke_leaves_only_with_the_commit(redis_url: str) -> None:
    with PubSub(redis_client().connection_pool) as listener:
        listener.subscribe(CHANNEL)
        listener.get_message(timeout=PATIENCE_S)
        with transaction.atomic():
            poke("node:lost")
            transaction.set_rollback(True)
        with transaction.atomic():
            poke("bell", '{"topics": [], "seq": 7}')
        message = listener.get_message(timeout=PATIENCE_S)
    assert message is not None
    assert json.loads(message["data"]) == {"name": "bell", "payload": '{"topics": [], "seq": 7}'}


@pytest.mark.usefixtures("redis_url")
def test_many_pokes_start_one_pass_until_it_begins() -> None:
    for _ in range(3):
        poke(SCHEDULER)
    assert redis_client().llen(SCHEDULER) == 1
    scheduler_pass_begins()
    poke(SCHEDULER)
    assert redis_client().llen(SCHEDULER) == 2


@pytest.mark.usefixtures("redis_away")
def test_without_redis_a_poke_is_swallowed() -> None:
    poke("bell")
    poke(SCHEDULER)
    scheduler_pass_begins()
