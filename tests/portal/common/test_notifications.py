"""Notifications are sent after commit, once, and never cost more than themselves."""

import json
from uuid import UUID

import pytest
from django.db import transaction
from redis.client import PubSub

from portal.audit.services import record_event, record_failure
from portal.common.actor import Actor
from portal.common.notifications import (
    CHANNEL,
    NODES_TOPIC,
    ROWS_MAX,
    SCHEDULER,
    clear_scheduler_wake,
    invalidate_nodes,
    invalidate_topics,
    wake_nodes,
    wake_scheduler,
)
from portal.common.redis_client import get_redis_client, own_channel
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)
NODE = UUID("0190d3a0-0000-7000-8000-00000000000a")


def test_topics_are_published_only_with_the_commit(redis_url: str) -> None:
    with PubSub(get_redis_client().connection_pool) as subscriber:
        subscriber.subscribe(own_channel(get_redis_client(), CHANNEL))
        subscriber.get_message(timeout=PATIENCE_S)
        with transaction.atomic():
            wake_nodes([NODE])
            transaction.set_rollback(True)
        with transaction.atomic():
            invalidate_topics(["nodes"], 7)
            wake_nodes([NODE, NODE])
            wake_nodes([])
        messages = [subscriber.get_message(timeout=PATIENCE_S) for _ in range(2)]
        more = subscriber.get_message(timeout=0)
    assert [json.loads(message["data"]) for message in messages if message] == [
        {"topics": ["nodes"], "seq": 7},
        {"topics": [f"node:{NODE}"], "seq": 0},
    ]
    assert more is None


def test_changed_nodes_are_named_unless_they_are_many(redis_url: str) -> None:
    with PubSub(get_redis_client().connection_pool) as subscriber:
        subscriber.subscribe(own_channel(get_redis_client(), CHANNEL))
        subscriber.get_message(timeout=PATIENCE_S)
        with transaction.atomic():
            invalidate_nodes([])
            invalidate_nodes([NODE, str(NODE)])
            invalidate_nodes(UUID(int=number) for number in range(ROWS_MAX + 1))
        messages = [subscriber.get_message(timeout=PATIENCE_S) for _ in range(2)]
        more = subscriber.get_message(timeout=0)
    assert [json.loads(message["data"]) for message in messages if message] == [
        {"topics": [], "seq": 0, "rows": {NODES_TOPIC: [str(NODE)]}},
        {"topics": [NODES_TOPIC], "seq": 0},
    ]
    assert more is None


def test_lists_are_told_of_what_is_recorded_in_the_audit_log(redis_url: str) -> None:
    actor = Actor.system("test")
    with PubSub(get_redis_client().connection_pool) as subscriber:
        subscriber.subscribe(own_channel(get_redis_client(), CHANNEL))
        subscriber.get_message(timeout=PATIENCE_S)
        with transaction.atomic():
            record_event(actor=actor, action="image.change", object_type="image")
            transaction.set_rollback(True)
        record_failure(actor=actor, action="image.change", object_type="image")
        record_event(actor=actor, action="job.submit", object_type="training")
        record_event(actor=actor, action="volume.create", object_type="volume")
        messages = [subscriber.get_message(timeout=PATIENCE_S) for _ in range(3)]
        assert subscriber.get_message(timeout=0) is None
    # The log itself is a list, too: it is told of everything, also of what failed.
    assert [json.loads(message["data"])["topics"] for message in messages if message] == [
        ["changed:audit"],
        ["changed:audit"],
        ["changed:volume", "changed:audit"],
    ]


@pytest.mark.usefixtures("redis_url")
def test_many_wakes_start_one_pass_until_it_begins() -> None:
    for _ in range(3):
        wake_scheduler()
    assert get_redis_client().llen(SCHEDULER) == 1
    clear_scheduler_wake()
    wake_scheduler()
    assert get_redis_client().llen(SCHEDULER) == 2


@pytest.mark.usefixtures("redis_away")
def test_without_redis_notifications_are_dropped() -> None:
    invalidate_topics(["nodes"])
    wake_scheduler()
    clear_scheduler_wake()
