"""What a node is told of shares: guarantee, ceiling, isolation, and whom they may be mixed with."""

from typing import Any

import pytest

from portal.inventory.models import Accelerator
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.model.isolation import IsolationLevel
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from wire.messages import DesiredContainer
from wire.words import Device
from wire.words import Isolation as OnTheWire

pytestmark = pytest.mark.django_db


def wanted(scene: Scene, **policy: Any) -> DesiredContainer:
    """Return what the node is told of one notebook with two slices."""
    scene.pool.policy = policy
    scene.pool.save(update_fields=["policy"])
    scene.place(scene.work(slices=2), scene.placement(cards=(0,), slots=(0, 3)))
    (desired,) = scene.links[0].beat().containers
    return desired


def test_share_carries_guarantee_and_the_weakest_that_will_do() -> None:
    desired = wanted(a_scene(slices=8))
    uuid = desired.devices[0].uuid
    demanded = OnTheWire.TIMESLICE
    assert desired.devices == tuple(
        Device(
            uuid=uuid, slot=slot, slices=8, memory_mib=4096, compute_milli=125, isolation=demanded
        )
        for slot in (0, 3)
    )


def test_pool_decides_isolation_and_how_far_shares_may_grow() -> None:
    desired = wanted(a_scene(slices=8), isolation="cgroup", burst_pct=200)
    found = {(item.isolation, item.ceiling_mib, item.compute_milli) for item in desired.devices}
    assert found == {(OnTheWire.CGROUP, 8192, 250)}


def test_no_share_may_grow_beyond_its_card() -> None:
    desired = wanted(a_scene(slices=8), burst_pct=1000)
    assert {item.ceiling_mib for item in desired.devices} == {32768}


def test_whole_card_is_kept_from_nobody() -> None:
    scene = a_scene()
    scene.place(scene.work(gpus=1), scene.placement(cards=(0,)))
    (desired,) = scene.links[0].beat().containers
    (device,) = desired.devices
    assert (device.isolation, device.ceiling_mib, device.compute_milli) == (None, None, 0)


def test_tenant_is_the_group_unless_the_pool_mixes_groups() -> None:
    scene = a_scene(slices=8)
    assert wanted(scene).spec.tenant == str(scene.group.pk)
    mixing = a_scene(slices=8)
    assert wanted(mixing, mix_groups=True).spec.tenant == f"pool:{mixing.pool.pk}"


def test_snapshot_knows_what_real_cards_enforce_and_that_simulated_ones_are_none() -> None:
    scene = a_scene(slices=8, cards=2)
    real = scene.nodes[0].accelerators.get(index=1)
    Accelerator.objects.filter(pk=real.pk).update(
        is_simulated=False, isolation=["cgroup", "mps", "of_a_newer_agent"]
    )
    found = {card.index: card.isolation for card in load_snapshot().accelerators}
    assert found == {0: None, 1: frozenset({IsolationLevel.CGROUP, IsolationLevel.MPS})}


def test_isolation_in_force_is_kept_as_the_node_proves_it() -> None:
    scene = a_scene(slices=8)
    (held,) = scene.place(scene.work(slices=1), scene.placement(cards=(0,), slots=(0,)))
    link = scene.links[0]
    link.beat()
    link.beat(containers=[running(held)])
    held.refresh_from_db()
    assert held.isolation == ""
    link.beat(containers=[running(held).model_copy(update={"isolation": OnTheWire.CGROUP})])
    held.refresh_from_db()
    assert held.isolation == "cgroup"
    link.beat(finished=[finished(held)])
    held.refresh_from_db()
    assert (held.state, held.isolation) == ("released", "cgroup")
