"""Hints sent through Redis after commit: what may have changed.

A lost hint costs seconds, never correctness: the timetable, heartbeats and polling pages find the
same work without it.
"""

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from portal.common.redis_client import get_redis_client, own_channel

CHANNEL = "berth:topics"
"""Redis channel (`own_channel`) of every hint but the scheduler's: JSON `{"topics": [...], "seq": n}`.

Beside them may stand `"rows"`: by topic which alone changed.
"""
NODES_TOPIC = "nodes"
"""Topic of everything that the page of nodes shows."""
CARDS_TOPIC = "cards"
"""Topic of what cards measure: some node has reported new values."""
REQUESTS_TOPIC = "requests"
"""Topic of requests and their decisions, of anybody: it says only that one has changed."""
RIGHTS = "rights"
"""First word of the topic of what one person may see and do: `rights:<user id>`."""
ALARMS_TOPIC = "alarms"
"""Topic of alarms: it says only that some have changed."""
CHANGED = "changed"
"""First word of the topic of all rows of one kind: `changed:<kind>`, for the lists that show them."""
LISTED: Final = frozenset(
    {
        *("user", "group", "image", "web_app", "dataset", "volume", "template"),
        "directory",
        *("quota", "budget", "member_limit", "pool", "price", "site", "study"),
        *("token", "ssh_key", "secret", "saved_view"),
        *("audit", "usage"),
    }
)
"""Kinds of objects of the audit log whose lists are notified of every change that is recorded there.

`audit` is the log itself, `usage` what the meter has counted.
"""
UNKNOWN_SEQ = 0
"""Sequence number where no event is known: fetch again, whatever was fetched before."""
SCHEDULER = "scheduler"
"""Celery queue of scheduling passes."""
SCHEDULER_TASK = "scheduler.run_pass"
ROWS_MAX: Final = 50
"""Changed rows that are named to pages at once; of more they are notified only that the topic changed."""
_SCHEDULER_FLAG = "berth:scheduler-woken"
_SCHEDULER_FLAG_S = 5
_UNREACHABLE = (RedisError, OperationalError, OSError)

logger = structlog.get_logger(__name__)


def invalidate_topics(topics: Iterable[str], seq: int = UNKNOWN_SEQ) -> None:
    """Tell subscribers of these topics, after commit, to fetch again.

    `seq` is the number of the newest event behind the change, if there is one.
    """
    transaction.on_commit(partial(_publish, tuple(topics), seq))


def invalidate_nodes(node_ids: Iterable[UUID | str]) -> None:
    """Tell the pages of nodes, after commit, that these of them changed and no others."""
    rows = sorted({str(node_id) for node_id in node_ids})
    if len(rows) > ROWS_MAX:
        invalidate_topics([NODES_TOPIC])
    elif rows:
        transaction.on_commit(partial(_publish, (), UNKNOWN_SEQ, rows={NODES_TOPIC: rows}))


def invalidate_rights(user_ids: Iterable[UUID | str]) -> None:
    """Tell the pages of these people, after commit, that what they may see or do has changed."""
    invalidate_topics(f"{RIGHTS}:{user_id}" for user_id in user_ids)


def invalidate_lists(*kinds: str) -> None:
    """Tell the lists of these kinds of objects, if pages show any, after commit of a changed row."""
    if topics := [f"{CHANGED}:{kind}" for kind in kinds if kind in LISTED]:
        invalidate_topics(topics)


def wake_nodes(node_ids: Iterable[UUID | str]) -> None:
    """Ask these nodes for a heartbeat after commit: what they are to run has changed."""
    topics = sorted({f"node:{node_id}" for node_id in node_ids})
    if topics:
        invalidate_topics(topics)


def wake_scheduler() -> None:
    """Start a scheduling pass after commit, unless one is on its way already."""
    transaction.on_commit(_start_pass)


def start_task(name: str) -> None:
    """Start a task of the timetable after commit, ahead of its time."""
    transaction.on_commit(partial(_send_task, name))


def clear_scheduler_wake() -> None:
    """Let the next `wake_scheduler` start another pass; called at the beginning of each pass.

    From here on the running pass may already have read its snapshot.
    """
    try:
        get_redis_client().delete(_SCHEDULER_FLAG)
    except RedisError as error:
        logger.warning("notification.lost", name=SCHEDULER, error=str(error))


def _publish(
    topics: tuple[str, ...], seq: int, rows: Mapping[str, list[str]] | None = None
) -> None:
    body: dict[str, Any] = {"topics": topics, "seq": seq}
    if rows:
        body["rows"] = rows
    try:
        redis = get_redis_client()
        redis.publish(own_channel(redis, CHANNEL), json.dumps(body, separators=(",", ":")))
    except _UNREACHABLE as error:
        logger.warning("notification.lost", name=next(iter(topics), ""), error=str(error))


def _send_task(name: str) -> None:
    try:
        current_app.send_task(name, retry=False, ignore_result=True)
    except _UNREACHABLE as error:
        logger.warning("notification.lost", name=name, error=str(error))


def _start_pass() -> None:
    """Queue one pass; the flag keeps many changes at once from queueing many."""
    try:
        if get_redis_client().set(_SCHEDULER_FLAG, "1", nx=True, ex=_SCHEDULER_FLAG_S):
            current_app.send_task(SCHEDULER_TASK, queue=SCHEDULER, retry=False, ignore_result=True)
    except _UNREACHABLE as error:
        logger.warning("notification.lost", name=SCHEDULER, error=str(error))
