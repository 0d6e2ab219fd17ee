"""The beat table and the queues: everything in it exists, runs, and does not pile up."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from django.apps import apps

from portal.common.clock import now
from portal.common.notifications import SCHEDULER_TASK
from portal.common.redis_client import get_redis_client
from portal.config.beat import BoundedScheduler, due_every
from portal.config.celery import HOUR_S, TASK_TIME_LIMIT_S, VISIBILITY_TIMEOUT_S, app

TASKS: Final = sorted({entry["task"] for entry in app.conf.beat_schedule.values()})
KEPT_OF_NOTHING: Final = {"telemetry.Summed", "workloads.NoticedEvents", "workloads.SchedulerPass"}
"""Tables that also say that there was nothing to do."""


def test_every_entry_names_a_task_that_runs_by_the_hour_or_more_often() -> None:
    app.loader.import_default_modules()

    for entry in app.conf.beat_schedule.values():
        assert entry["task"] in app.tasks
        assert entry["schedule"].seconds <= HOUR_S
        assert "expires" not in entry["options"]
        expected = "scheduler" if entry["task"] == "scheduler.run_pass" else "maintenance"
        assert entry["options"]["queue"] == expected


def test_no_message_comes_back_while_its_task_still_runs() -> None:
    assert app.conf.task_time_limit == TASK_TIME_LIMIT_S < VISIBILITY_TIMEOUT_S
    assert app.conf.broker_transport_options["visibility_timeout"] == VISIBILITY_TIMEOUT_S
    assert app.conf.task_acks_late
    assert app.conf.worker_prefetch_multiplier == 1


def test_when_a_task_is_due_is_no_matter_of_what_time_it_is() -> None:
    """A host whose clock is set back an hour would not sweep for an hour."""
    every = due_every(60)
    began = every.now()

    assert every.is_due(began).is_due is False
    assert every.is_due(began - timedelta(seconds=60)).is_due
    assert abs(began - now()) > timedelta(days=365)


@pytest.mark.usefixtures("redis_url")
def test_messages_that_nobody_takes_do_not_pile_up() -> None:
    """They carry no time of expiry, which a worker with another time would throw them away by."""
    beat, redis = BoundedScheduler(app=app), get_redis_client()
    entries = list(beat.schedule.values())

    for _ in range(3):
        for entry in entries:
            beat.apply_async(entry, advance=False)

    waiting = [redis.llen(queue) for queue in ("scheduler", "maintenance")]
    assert waiting == [1, len(entries) - 1]
    message = json.loads(redis.lindex("maintenance", 0) or "{}")
    assert message["headers"]["expires"] is None
    redis.lpop("scheduler")
    (tick,) = [entry for entry in entries if entry.task == SCHEDULER_TASK]
    assert beat.apply_async(tick, advance=False) is not None


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_url")
@pytest.mark.parametrize("name", TASKS)
def test_maintenance_of_an_empty_site_writes_nothing(
    name: str, set_site: Callable[..., None], tmp_path: Path
) -> None:
    app.loader.import_default_modules()
    set_site(storage_dir=tmp_path)
    before = _rows()

    app.tasks[name].run()

    assert _rows() == before
    assert list(tmp_path.iterdir()) == []


def _rows() -> dict[str, int]:
    return {
        model._meta.label: model._default_manager.count()
        for model in apps.get_models()
        if model._meta.label not in KEPT_OF_NOTHING
    }
