"""A promise that is given while a longer time limit is being checked counts as one given before."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from portal.workloads.models import SchedulerPass, Workload
from portal.workloads.state import lifecycle
from scheduler.runtime.loop import run_once
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, problem_of
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

HOUR = 3600
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def is_blocked() -> bool:
    """Return whether another connection waits for a row."""
    with connection.cursor() as cursor:
        # A transaction sees the connections of its first look: one opened since would never wait.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(WAITING)
        (count,) = cursor.fetchone()
    return bool(count)


def test_a_promise_between_check_and_commit_is_not_broken() -> None:
    scene = a_scene()
    work = scene.work(gpus=1)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    stranger = a_group()
    Scene(scene.pool, scene.nodes, stranger, a_member(stranger), scene.links).work(gpus=8)
    run_once()
    promised = SchedulerPass.objects.get().reservations
    assert promised
    SchedulerPass.objects.update(reservations=[])  # as before the pass was published

    def extend() -> Any:
        try:
            path = f"{API}/jobs/{work.pk}"
            return browser(scene.owner).patch(path, {"time_limit_s": 2 * HOUR}, format="json")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            lifecycle.lock_workload(work.pk)
            answer = thread.submit(extend)
            wait_until(is_blocked)
            SchedulerPass.objects.update(reservations=promised)
        problem_of(answer.result(), 409, "would_delay_reservation")
    assert Workload.objects.get(pk=work.pk).time_limit_s == HOUR
