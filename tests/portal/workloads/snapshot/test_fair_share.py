"""Standing in fair share, from a part of the tables, is that of the whole snapshot."""

from datetime import timedelta
from typing import Any

import pytest

from portal.common.clock import freeze, now
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node, Pool
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, DecayedGpuUse
from portal.workloads.snapshot.fair_share import load_fair_share
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.model.entities import GroupId, UserId
from scheduler.core.ordering.fair_share_state import FairShareState
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_scene
from tests.builders.workloads import a_workload, an_allocation
from tests.portal.moments import NOON

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def scene(noon: None) -> Scene:
    """Eight cards of two groups, of which the first deserves three."""
    scene = a_scene()
    Quota.objects.create(group=scene.group, resource="gpu", deserved=3000, guarantee=2000, used=500)
    Quota.objects.create(group=scene.group, resource="cpu", deserved=9000, guarantee=9000)
    Quota.objects.create(group=a_group("other"), pool=scene.pool, resource="gpu", deserved=1000)
    return scene


def held(
    scene: Scene, card: int, state: str, *, of: User | None = None, gpus: int = 1, **columns: object
) -> None:
    """Let work hold a card, or the node only."""
    user = of or a_member(scene.group)
    asked: dict[str, Any] = {"gpus": gpus, **columns}
    work = a_workload(user, scene.group, scene.pool, state=state, **asked)
    on = [(scene.nodes[0].accelerators.get(index=card), 0)] if gpus else []
    allocation = an_allocation(work, scene.nodes[0], on=on)
    Allocation.objects.filter(pk=allocation.pk).update(total_gpu_milli=1000 * gpus)


def used(user: User, group: Group, gpu_s: int, *, ago: timedelta) -> None:
    DecayedGpuUse.objects.create(
        group=group, user=user, gpu_milli_ms=gpu_s * 1_000_000, at=now() - ago
    )


def state_of_part() -> FairShareState:
    """Return the state of a part, which is the one of everything."""
    part = load_fair_share()
    assert part == FairShareState.from_snapshot(load_snapshot())
    return part


def test_everything_that_is_used_and_charged_counts(scene: Scene) -> None:
    member = a_member(scene.group)
    used(member, scene.group, 7200, ago=timedelta(days=7) - MINUTE)
    used(scene.owner, scene.group, 1, ago=timedelta(days=70))
    # A penalty is charged for an hour: in full before the start, the rest of it after that.
    held(scene, 0, "running", of=member, started_at=NOON - 10 * MINUTE)
    held(scene, 1, "running", of=member, started_at=NOON - 90 * MINUTE)
    held(scene, 2, "starting", started_at=NOON - 90 * MINUTE)
    held(scene, 3, "queued", started_at=NOON - 90 * MINUTE)
    held(scene, 4, "failed", started_at=NOON, finished_at=NOON)
    held(scene, 5, "running", gpus=0, started_at=NOON)
    held(scene, 6, "running", started_at=NOON - 60 * MINUTE)
    held(scene, 7, "running", started_at=NOON - 60 * MINUTE + timedelta(seconds=1))

    with freeze(NOON + MINUTE):
        found = state_of_part()

    group = GroupId(str(scene.group.pk))
    assert found.entry_penalty_s == 3600
    # Half of two hours after a week, two cards for a minute, and 49 minutes of the penalty.
    assert found.used_by_member[group, UserId(str(member.pk))] == 1000 * (3600 + 2 * 60 + 49 * 60)
    assert found.guarantee_left[group, str(scene.pool.pk)] == 1500  # type: ignore[index]


@pytest.mark.parametrize("lost", ["the card", "the node"])
def test_what_is_held_counts_as_there_whatever_became_of_it(scene: Scene, lost: str) -> None:
    held(scene, 0, "running", started_at=NOON)
    before = state_of_part().entitled
    if lost == "the card":
        Accelerator.objects.update(state="suspect")
    else:
        Node.objects.update(state="lost")

    after = state_of_part().entitled

    assert after[GroupId(str(scene.group.pk))] < before[GroupId(str(scene.group.pk))]


def test_a_closed_pool_is_divided_too(scene: Scene) -> None:
    held(scene, 0, "running", started_at=NOON)
    Pool.objects.filter(pk=scene.pool.pk).update(is_open=False)

    assert state_of_part().entitled[GroupId(str(scene.group.pk))] == 5000


def test_a_changed_quota_counts_at_once(scene: Scene) -> None:
    group = GroupId(str(scene.group.pk))
    before = state_of_part().entitled[group]
    Quota.objects.filter(group=scene.group, resource="gpu").update(deserved=5000)

    assert state_of_part().entitled[group] > before


def test_a_share_holds_its_card() -> None:
    divided = a_scene(is_divided=True, cards=2)
    work = divided.work(gpu_milli=300, gpu_memory_mib=1024)
    divided.place(work, divided.placement(cards=(0,)))
    Accelerator.objects.update(state="suspect")

    assert state_of_part().entitled[GroupId(str(divided.group.pk))] == 1000
