"""Wake-ups by name, sent after commit. A lost poke costs a beat tick, never correctness."""

import json
from collections.abc import Sequence
from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from portal.common.redis_client import redis_client

CHANNEL = "berth:poke"
"""Redis channel of every poke but the scheduler's: JSON `{"name", "payload"}`."""
SCHEDULER = "scheduler"
SCHEDULER_TASK = "scheduler.run_pass"
_SCHEDULER_FLAG = "berth:scheduler-poked"
_SCHEDULER_FLAG_S = 5

logger = structlog.get_logger(__name__)


def poke(name: str, payload: str = "") -> None:
    """Wake whoever listens to `name` once the running transaction has committed.

    Names: `scheduler`, `node:<node id>`, `bell` (payload `{"topics": [...], "seq": n}`).
    """
    transaction.on_commit(partial(_send, name, payload))


def poke_all(names: Sequence[str]) -> None:
    """Wake whoever listens to any of these names, none of them the scheduler; in one message's time."""
    transaction.on_commit(partial(_send_all, tuple(names)))


def poke_task(name: str) -> None:
    """Start a task of the timetable once the running transaction has committed, ahead of its time."""
    transaction.on_commit(partial(_send_task, name))


def scheduler_pass_begins() -> None:
    """Let the next poke start another pass: the running one may already have read its snapshot."""
    try:
        redis_client().delete(_SCHEDULER_FLAG)
    except RedisError as error:
        logger.warning("poke.lost", name=SCHEDULER, error=str(error))


def _send(name: str, payload: str) -> None:
    try:
        if name == SCHEDULER:
            _start_scheduler_pass()
        else:
            redis_client().publish(CHANNEL, json.dumps({"name": name, "payload": payload}))
    except (RedisError, OperationalError, OSError) as error:
        logger.warning("poke.lost", name=name, error=str(error))


def _send_task(name: str) -> None:
    try:
        current_app.send_task(name, retry=False, ignore_result=True)
    except (RedisError, OperationalError, OSError) as error:
        logger.warning("poke.lost", name=name, error=str(error))


def _send_all(names: Sequence[str]) -> None:
    try:
        with redis_client().pipeline(transaction=False) as pipeline:
            for name in names:
                pipeline.publish(CHANNEL, json.dumps({"name": name, "payload": ""}))
            pipeline.execute()
    except (RedisError, OSError) as error:
        logger.warning("poke.lost", name=names[0], error=str(error))


def _start_scheduler_pass() -> None:
    if not redis_client().set(_SCHEDULER_FLAG, "1", nx=True, ex=_SCHEDULER_FLAG_S):
        return
    current_app.send_task(SCHEDULER_TASK, queue=SCHEDULER, retry=False, ignore_result=True)
