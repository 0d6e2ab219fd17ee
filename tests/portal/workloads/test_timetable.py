"""The beat table and the queues: everything in it exists, expires, and runs."""

import pytest

from portal.config.celery import HOUR_S, TASK_TIME_LIMIT_S, VISIBILITY_TIMEOUT_S, app


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
@pytest.mark.parametrize(
    "name",
    [
        "workloads.sweep",
        "workloads.recount_quotas",
        "environments.forget_old_access",
        "common.delete_expired",
    ],
)
def test_maintenance_runs_on_an_empty_site(name: str) -> None:
    app.loader.import_default_modules()

    app.tasks[name].run()
