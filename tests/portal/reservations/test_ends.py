"""The end of a window, pass by pass on real PostgreSQL: who leaves, and that nobody comes back for a moment."""

from datetime import timedelta

import pytest

from portal.common.clock import freeze
from portal.workloads import sweep
from scheduler.runtime.loop import run_once
from tests.builders.scenes import a_scene, assert_sound
from tests.portal.reservations.test_reservations import HOUR, START, URL, asked, operator, states
from tests.rest import json_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.mark.parametrize("kind", ["training", "environment"])
def test_the_notice_at_the_end_comes_once(kind: str) -> None:
    """What leaves at once after its notice waits for the end of the window, and starts then."""
    scene = a_scene(cards=4)
    end = START + 3 * HOUR
    with freeze(START - HOUR):
        json_of(operator().post(URL, asked(scene), format="json"), 201)
    inside = scene.work(gpus=1, kind=kind, time_limit_s=86_400, preemptible=True)
    with freeze(START + timedelta(seconds=5)):
        run_once()
        assert states(inside) == ["placing"]
    for left_s in range(150, 0, -10):
        with freeze(end - timedelta(seconds=left_s)):
            run_once()
            sweep.run_sweep(heartbeat=timedelta(seconds=5))
    inside.refresh_from_db()
    assert (inside.state, inside.cause) == ("queued", "reserved")
    assert (inside.evictions, inside.epoch) == (1, 1)

    with freeze(end + timedelta(seconds=5)):
        run_once()
        assert states(inside) == ["placing"]
    assert_sound()
