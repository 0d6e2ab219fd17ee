"""The beat table and the queues: everything in it exists, expires, and runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from django.apps import apps

from portal.config.celery import HOUR_S, TASK_TIME_LIMIT_S, VISIBILITY_TIMEOUT_S, app

TASKS: Final = sorted({entry["task"] for entry in app.conf.beat_schedule.values()})
KEPT_OF_NOTHING: Final = {"telemetry.Summed", "workloads.SchedulerPass"}
"""Tables that also say that there was nothing to do."""


def test_every_entry_names_a_task_and_expires_with_its_period() -> None:
    app.loader.import_default_modules()

    for entry in app.conf.beat_schedule.values():
        assert entry["task"] in app.tasks
        assert entry["options"]["expires"] == entry["schedule"] <= HOUR_S
        expected = "scheduler" if entry["task"] == "scheduler.run_pass" else "maintenance"
        assert entry["options"]["queue"] == expected


def test_no_message_comes_back_while_its_task_still_runs() -> None:
    assert app.conf.task_time_limit == TASK_TIME_LIMIT_S < VISIBILITY_TIMEOUT_S
    assert app.conf.broker_transport_options["visibility_timeout"] == VISIBILITY_TIMEOUT_S
    assert app.conf.task_acks_late
    assert app.conf.worker_prefetch_multiplier == 1


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
