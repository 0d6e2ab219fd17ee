"""Quotas over all pools and of GPU memory, from the cycle's plan to the counters of PostgreSQL."""

from datetime import timedelta

import pytest

from portal.common.clock import freeze, now
from portal.inventory.models import Accelerator, Pool
from portal.quotas.models import Quota
from portal.quotas.services import recount_quotas
from portal.tenancy.models import Group
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.submission.dry_run import run_dry
from portal.workloads.submission.refusals import find_refusals
from scheduler.core.dry_run import DryRunOutcome
from scheduler.runtime.loop import run_once
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.builders.scripted_node import ScriptedNode, finished, running

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

LATER = timedelta(minutes=20)
"""Longer than a start is protected."""
CARD_MIB = 32768


def promise(group: Group, deserved: int, ceiling: int | None = None) -> Quota:
    """Give a group some GPUs over all pools, as the seeded organisation has it."""
    return Quota.objects.create(
        group=group,
        pool=None,
        resource="gpu",
        deserved=deserved * 1000,
        ceiling=None if ceiling is None else ceiling * 1000,
    )


def run_all(scene: Scene) -> None:
    """Let the nodes report that everything placed on them runs."""
    for link, node in zip(scene.links, scene.nodes, strict=True):
        link.beat()
        live = Allocation.objects.filter(node=node, state="bound")
        link.beat(containers=[running(item) for item in live])


def test_what_is_deserved_over_all_pools_is_taken_back() -> None:
    """One group has filled the pool; another asks for four of its six: exactly four leave."""
    scene = a_scene(cards=8)
    other = a_group()
    promise(scene.group, 2)
    quota = promise(other, 6, 6)
    works = [scene.work(gpus=1, preemptible=True) for _ in range(8)]
    run_once()
    run_all(scene)
    asks = Scene(scene.pool, scene.nodes, other, a_member(other)).work(gpus=4)

    with freeze(now() + LATER):
        run_once()

    gone = [work for work in _fresh(works) if work.cause == "reclaimed"]
    assert {work.state for work in gone} == {"queued"}
    assert len(gone) == 4
    held = list(Allocation.objects.filter(workload__in=works))
    scene.links[0].beat(
        containers=[running(item) for item in held if item.workload not in gone],
        finished=[finished(item, 143) for item in held if item.workload in gone],
    )
    with freeze(now() + LATER):
        run_once()
    asks.refresh_from_db()
    quota.refresh_from_db()
    assert (asks.state, quota.used) == ("placing", 4000)
    assert [work.state for work in _fresh(works)].count("running") == 4
    assert_sound()


def _fresh(works: list[Workload]) -> list[Workload]:
    return list(Workload.objects.filter(pk__in=[work.pk for work in works]))


def test_what_is_guaranteed_over_all_pools_stays_free() -> None:
    scene = a_scene(cards=4)
    a_node(a_pool(), cards=2)
    Quota.objects.create(group=a_group(), resource="gpu", guarantee=4000, deserved=4000)
    works = [scene.work(gpus=1, preemptible=True) for _ in range(3)]

    run_once()

    assert [work.state for work in _fresh(works)].count("placing") == 2


def test_a_borrower_holds_its_groups_quota_no_harder_than_at_home() -> None:
    """On cards that another pool lends, less urgent work leaves for the quota that it holds."""
    scene = a_scene(cards=2)
    lender = a_pool(slices=8)
    Pool.objects.filter(pk=lender.pk).update(
        policy={"lending": {"to_pools": [scene.pool.name], "by_day": True}}
    )
    node = a_node(lender, cards=2)
    scene.nodes.append(node)
    scene.links.append(ScriptedNode(node))
    promise(scene.group, 2, 2)
    blocker_group = a_group()
    blocker = Scene(scene.pool, scene.nodes, blocker_group, a_member(blocker_group)).work(gpus=2)
    run_once()
    low = scene.work(gpus=2, preemptible=True)
    run_once()
    run_all(scene)
    low.refresh_from_db()
    assert (low.state, scene.held(low)[0].node_id) == ("running", node.pk)
    scene.links[0].beat(finished=[finished(scene.held(blocker)[0], 0)])
    urgent = scene.work(gpus=1, priority=100)

    with freeze(now() + LATER):
        run_once()

    low.refresh_from_db()
    assert (low.state, low.cause, low.evicted_for) == ("queued", "preempted", urgent.pk)
    scene.links[1].beat(finished=[finished(scene.held(low)[0], 143)])
    with freeze(now() + LATER):
        run_once()
    urgent.refresh_from_db()
    assert urgent.state == "placing"
    assert_sound()


def test_whole_gpus_count_with_their_memory() -> None:
    scene = a_scene(cards=4)
    quota = a_quota(scene.group, "gpu_memory", ceiling=2 * CARD_MIB)
    work, more = scene.work(gpus=2), scene.work(gpus=1)

    (held,) = scene.place(work, scene.placement(cards=(0, 1)))

    quota.refresh_from_db()
    assert (held.total_gpu_memory_mib, quota.used) == (2 * CARD_MIB, 2 * CARD_MIB)
    assert recount_quotas() == 0
    with pytest.raises(PlacementRefusedError) as refused:
        scene.place(more, scene.placement(cards=(2,)))
    assert refused.value.code == "quota_ceiling"
    assert refused.value.params["resource"] == "gpu_memory"
    assert_sound()


def test_a_lent_gpu_counts_with_all_of_its_memory() -> None:
    scene = a_scene(cards=1)
    lender = a_pool(slices=8)
    Pool.objects.filter(pk=lender.pk).update(
        policy={"lending": {"to_pools": [scene.pool.name], "by_day": True}}
    )
    scene.nodes = [a_node(lender, cards=1)]
    quota = a_quota(scene.group, "gpu_memory", ceiling=None)
    card = Accelerator.objects.get(node=scene.nodes[0])
    work = scene.work(gpus=1, preemptible=True)
    placement = scene.placement(cards=(0,), slots=tuple(range(8)))

    scene.place(work, placement)

    quota.refresh_from_db()
    assert quota.used == card.memory_mib
    assert recount_quotas() == 0


def test_the_counters_take_each_card_as_it_is() -> None:
    """Of two cards of one node the larger one is refused where only the smaller fits."""
    scene = a_scene(cards=2)
    small, large = Accelerator.objects.order_by("index")
    Accelerator.objects.filter(pk=large.pk).update(memory_mib=81920, slice_mib=81920)
    quota = a_quota(scene.group, "gpu_memory", ceiling=40960)
    work = scene.work(gpus=1)

    with pytest.raises(PlacementRefusedError):
        scene.place(work, scene.placement(cards=(1,)))
    run_once()

    (held,) = scene.held(work)
    quota.refresh_from_db()
    assert held.devices.get().accelerator_id == small.pk
    assert quota.used == CARD_MIB


def test_admission_and_dry_run_count_the_memory_of_whole_gpus() -> None:
    scene = a_scene(cards=4)
    a_quota(scene.group, "gpu_memory", ceiling=4096)
    work = scene.pending(gpus=4)

    (reason,) = find_refusals(work)
    dry = run_dry(work, "training")

    assert (reason.code, reason.params["requested"]) == ("quota_ceiling", 4 * CARD_MIB)
    assert dry.result.outcome is DryRunOutcome.REFUSED
