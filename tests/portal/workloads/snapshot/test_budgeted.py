"""Budgets as a page and a commit count them, from a part of what runs, are those of the whole snapshot."""

from datetime import timedelta
from typing import Any

import pytest

from portal.common.clock import freeze
from portal.quotas.models import Budget
from portal.tenancy.models import Group
from portal.workloads.models import Allocation
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.budget_check import load_budget_statuses
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.budget import BudgetBook
from tests.builders.people import a_group, a_member, a_root
from tests.builders.scenes import Scene, a_scene
from tests.builders.workloads import a_workload, an_allocation
from tests.portal.moments import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

HOUR = timedelta(hours=1)


def held(scene: Scene, group: Group, state: str, *, gpus: int = 1, **columns: object) -> None:
    """Let work of a group hold what it asked for since noon, on a node for each replica."""
    asked: dict[str, Any] = {"gpus": 1, "time_limit_s": 18_000, **columns}
    work = a_workload(a_member(group), group, scene.pool, state=state, **asked)
    for rank, node in enumerate(scene.nodes[: work.replicas]):
        allocation = an_allocation(work, node, rank=rank)
        Allocation.objects.filter(pk=allocation.pk).update(total_gpu_milli=1000 * gpus)


def gpu_hours() -> list[tuple[float, float]]:
    """Return what each budget counts as used and as promised."""
    statuses = load_budget_statuses(list(Budget.objects.order_by("id")))
    return [(status.used / 3600, status.promised / 3600) for status in statuses]


def test_each_state_of_live_work_counts_as_in_the_whole_snapshot() -> None:
    scene, elsewhere, other = a_scene(), a_scene(nodes=2), a_group("other")
    held(scene, scene.group, "running", started_at=NOON - HOUR)
    held(scene, scene.group, "starting", started_at=NOON - HOUR)
    held(scene, scene.group, "queued", started_at=NOON - HOUR)
    held(scene, scene.group, "running", started_at=NOON, must_end_at=NOON + 2 * HOUR)
    held(scene, scene.group, "running", started_at=NOON, gpus=0)
    held(scene, scene.group, "failed", started_at=NOON, finished_at=NOON + HOUR)
    held(scene, other, "running", started_at=NOON)
    held(elsewhere, scene.group, "running", started_at=NOON, replicas=2, time_limit_s=3600)
    for group, pool in (
        (a_root(), None),
        (scene.group, None),
        (scene.group, scene.pool),
        (other, scene.pool),
        (other, elsewhere.pool),
    ):
        Budget.objects.create(group=group, pool=pool, period="month", gpu_hours=1000)

    with freeze(NOON + HOUR / 2):
        found = gpu_hours()
        whole = BudgetBook(load_snapshot(), UndoLog()).uses()

    assert found == [(each.used / 3600, each.promised / 3600) for each in whole]
    # Until their limits: what runs, twice what has not started (again), and what ends before.
    in_scene = 3.5 + 5 + 5 + 1.5
    assert found == [
        (4.0, in_scene + 4.5 + 2 * 0.5),
        (3.5, in_scene + 2 * 0.5),
        (2.5, in_scene),
        (0.5, 4.5),
        (0.0, 0.0),
    ]


def test_a_budget_of_one_group_counts_no_work_of_another() -> None:
    scene = a_scene()
    held(scene, scene.group, "running", started_at=NOON)
    Budget.objects.create(group=a_group("idle"), period="month", gpu_hours=10)

    with freeze(NOON + HOUR):
        assert gpu_hours() == [(0, 0)]
