"""What a heartbeat costs the database does not grow with what its node does."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.config.node_reports import receive_heartbeat
from tests.builders.scenes import a_quota, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from wire.messages import Desired

pytestmark = pytest.mark.django_db


def test_four_starts_and_ends_take_no_more_statements_than_one() -> None:
    taken = {count: statements_for(count) for count in (1, 4)}

    assert taken[4] == taken[1]
    assert_sound()


def statements_for(count: int) -> int:
    """Let so many workloads end, and as many start, with one heartbeat; return its statements."""
    scene = a_scene()
    a_quota(scene.group, ceiling=8000)
    held = [scene.place(scene.work(gpus=0))[0] for _ in range(2 * count)]
    node = scene.links[0]
    node.beat()
    node.beat(containers=map(running, held[:count]))
    ends = [finished(item) for item in held[:count]]
    message = node.message(3, containers=map(running, held[count:]), finished=ends)

    with CaptureQueriesContext(connection) as statements:
        assert isinstance(receive_heartbeat(node.node.pk, message), Desired)
    return len(statements)
