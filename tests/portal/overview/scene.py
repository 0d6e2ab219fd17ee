"""Work on cards of a cluster with its measured minutes, and the overview that its readers get."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection

from portal.common.clock import freeze
from portal.identity.models import User
from portal.telemetry.services import maintain_partitions
from portal.workloads.models import Allocation
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene
from tests.builders.scripted_node import running
from tests.rest import API, browser, json_of

HOUR: Final = timedelta(hours=1)
MINUTES: Final = """
INSERT INTO telemetry_work_minute (series, at, last_at, gpu_utilisation_pct)
SELECT %s, minute, minute, %s FROM generate_series(%s::timestamptz, %s::timestamptz, '1 minute') minute
"""


def overview(user: User, part: str = "") -> Any:
    return json_of(browser(user).get(f"{API}/overview{part}"))


def admin() -> User:
    return a_user(role="platform_admin")


def run_at(scene: Scene, at: datetime, *, cards: Sequence[int], node: int = 0) -> Allocation:
    """Let work of the scene start on these cards of a node."""
    with freeze(at):
        work = scene.work(gpus=len(cards), submitted_at=at - HOUR, queued_at=at - HOUR)
        (held,) = scene.place(work, scene.placement(node, tuple(cards)))
        on_node = Allocation.objects.filter(node=held.node_id, released_at=None)
        before = [running(item) for item in on_node.exclude(pk=held.pk)]
        scene.links[node].beat(containers=before)
        scene.links[node].beat(containers=[*before, running(held)])
    return held


def measured(held: Allocation, pct: int, since: datetime, until: datetime) -> None:
    """Save the use of an allocation's GPUs by the minute, as it is rolled up."""
    with connection.cursor() as cursor:
        cursor.execute(MINUTES, [held.pk, pct, since, until])


def another(scene: Scene, **parts: Any) -> Scene:
    """Return the same cluster with other people."""
    group = parts.pop("group", None) or a_group(**parts)
    return replace(scene, group=group, owner=a_member(group))


def partitions_at(moment: datetime) -> None:
    with freeze(moment):
        maintain_partitions()
