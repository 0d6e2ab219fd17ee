"""Random walks of server, nodes and users over real rows, with messages lost on both ways.

After every step the core invariants hold; once the faults stop, everything comes to its end.
"""

import random
from dataclasses import dataclass, field

import pytest

from portal.common.actor import Actor
from portal.common.errors import DomainError
from portal.inventory.models import Node
from portal.quotas.models import Quota
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.state import lifecycle
from scheduler.core.model.states import TERMINAL, WorkloadState
from tests.builders.honest_node import HonestNode
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound, cancel
from wire.words import ExitCause

pytestmark = pytest.mark.django_db

STEPS = 60
ROUNDS_TO_REST = 12


@dataclass
class World:
    """Everything that a walk may touch."""

    rng: random.Random
    scene: Scene
    nodes: list[HonestNode]
    works: list[Workload] = field(default_factory=list)

    def step(self) -> None:
        """Let one random thing happen."""
        self.rng.choice(
            [self._submit, self._place, self._place, self._beat, self._beat, self._live, self._stop]
        )()
        assert_sound()

    def _submit(self) -> None:
        kind = self.rng.choice(["training", "training", "environment"])
        replicas = 1 if kind == "environment" else self.rng.choice([1, 1, 2, 3])
        work = self.scene.work(kind=kind, replicas=replicas, gpus=1)
        Workload.objects.filter(pk=work.pk).update(retries_max=self.rng.choice([0, 1]))
        self.works.append(work)

    def _place(self) -> None:
        queued = list(Workload.objects.filter(state="queued").order_by("id"))
        if queued:
            self._try_to_place(self.rng.choice(queued))

    def _try_to_place(self, work: Workload) -> None:
        spots = self.rng.sample([(n, c) for n in range(2) for c in range(4)], work.replicas)
        try:
            self.scene.place(work, *(self.scene.placement(n, cards=(c,)) for n, c in spots))
        except PlacementRefusedError:
            return

    def _beat(self) -> None:
        self.rng.choice(self.nodes).exchange(
            is_heard=self.rng.random() < 0.9, hears=self.rng.random() < 0.8
        )

    def _live(self) -> None:
        node = self.rng.choice(self.nodes)
        if not node.running:
            return
        report = self.rng.choice(list(node.running.values()))
        match self.rng.randrange(6):
            case 0:
                node.end(report, ExitCause.EXITED, 0)
            case 1:
                node.end(report, ExitCause.EXITED, 1)
            case 2:
                node.end(report, ExitCause.VANISHED, None)
            case 3:
                node.forget(report)
            case _:
                node.advance(report)

    def _stop(self) -> None:
        if not self.works:
            return
        work = self.rng.choice(self.works)
        if work.kind == "training" or self.rng.random() < 0.5:
            cancel(work)
        else:
            self._suspend(work)

    def _suspend(self, work: Workload) -> None:
        try:
            lifecycle.request_stop(
                lifecycle.lock_workload(work.pk),
                outcome=WorkloadState.SUSPENDED,
                cause="requested",
                actor=Actor.system("scheduler"),
            )
        except DomainError:
            pytest.fail("a stop is never refused")

    def come_to_rest(self) -> None:
        """Stop the faults and cancel everything: it must end, and nothing may be held."""
        for work in self.works:
            cancel(work)
        for _ in range(ROUNDS_TO_REST):
            for node in self.nodes:
                node.exchange()


@pytest.mark.parametrize("seed", range(6))
def test_walk_keeps_every_invariant_and_comes_to_rest(seed: int) -> None:
    scene = a_scene(nodes=2, cards=4)
    a_quota(scene.group, ceiling=6000)
    a_quota(scene.group, "cpu", ceiling=None)
    world = World(random.Random(seed), scene, [HonestNode(link) for link in scene.links])

    for _ in range(STEPS):
        world.step()
    world.come_to_rest()

    assert_sound()
    assert set(Workload.objects.values_list("state", flat=True)) <= set(TERMINAL)
    assert not Allocation.objects.exclude(state="released").exists()
    assert set(Quota.objects.values_list("used", flat=True)) == {0}
    assert set(Node.objects.values_list("state", flat=True)) == {"ready"}
    assert not any(node.running or node.ended or node.tombstones for node in world.nodes)
