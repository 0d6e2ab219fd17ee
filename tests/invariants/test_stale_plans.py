"""Three scheduler loops on one database: a plan is made, the world changes, the plan is applied.

Between plan and commit loops are killed, quotas edited, nodes drained, pools closed, work cancelled
and reported; after every step every invariant holds. One thread, so each seed is the same again.
"""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from django.db import transaction

from portal.common.clock import freeze, now
from portal.common.errors import DomainError
from portal.inventory.models import Pool
from portal.quotas.models import Quota
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations import nodes
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.sweep import run_sweep
from scheduler.core.cycle import run_cycle
from scheduler.core.model.plan import Plan
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import TERMINAL
from scheduler.runtime.plan_applier import begin_starts, commit_rest
from tests.builders.honest_node import HonestNode
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_root, a_user, an_actor
from tests.builders.scenes import a_quota, assert_sound, cancel
from tests.builders.scripted_node import ScriptedNode
from tests.builders.workloads import a_workload
from wire.words import ExitCause

pytestmark = pytest.mark.django_db

SEEDS, STEPS, ROUNDS_TO_REST = 3, 60, 12
MODEST = 12
"""Jobs that come first and leave for every later one."""
STEP = timedelta(seconds=2)
HEARTBEAT = timedelta(seconds=5)
QUICK = {"min_runtime_s": 0, "grace_s": 5}


@dataclass
class Loop:
    """One copy of the scheduler, with the plan that it has not applied yet."""

    plan: Plan | None = None
    snapshot: Snapshot | None = None

    def look(self) -> None:
        """Read the cluster and decide."""
        self.snapshot = load_snapshot()
        self.plan = run_cycle(self.snapshot, self.snapshot.taken_at)

    def apply(self, rng: random.Random, told: Counter[str]) -> None:
        """Commit the plan, however old; or die before, or after a part of it."""
        plan, snapshot, self.plan = self.plan, self.snapshot, None
        if plan is None or snapshot is None or rng.random() < 0.15:
            return
        if rng.random() < 0.15:
            part = rng.randrange(len(plan.starts) + 1)
            plan = replace(plan, starts=plan.starts[:part], evictions=())
        applied = begin_starts(plan.starts).finish()
        told["placed"] += applied.placed
        told["refused"] += len(applied.refused)
        told["evicted"] += commit_rest(plan, snapshot, undecided=applied.refused)


@dataclass
class World:
    """A cluster of two pools, of which one lends to the other, and two groups that compete."""

    rng: random.Random
    told: Counter[str]
    moment: datetime = field(default_factory=now)
    loops: tuple[Loop, ...] = field(default_factory=lambda: (Loop(), Loop(), Loop()))
    works: list[Workload] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.training, self.development = a_pool(), a_pool(slices=4)
        lending = {"to_pools": [self.training.name], "keep_gpus": 1}
        self._set_policy(self.training, QUICK)
        self._set_policy(self.development, {**QUICK, "lending": lending})
        rows = [a_node(self.training, cards=4), a_node(self.training, cards=2)]
        rows.append(a_node(self.development, cards=2))
        self.nodes = [HonestNode(ScriptedNode(row)) for row in rows]
        self.people = [(group, a_member(group)) for group in (a_group(), a_group())]
        self.operator = an_actor(a_user(role="operator"))
        a_quota(a_root(), ceiling=7000)
        for group, _ in self.people:
            quota = a_quota(group, ceiling=6000, user_ceiling=5000)
            Quota.objects.filter(pk=quota.pk).update(deserved=3000)

    def open(self) -> None:
        """Let the nodes report, and people queue up."""
        with freeze(self.moment):
            for node in self.nodes:
                node.exchange()
            for _ in range(MODEST):
                self._submit()

    def step(self) -> None:
        """Let some time pass and one random thing happen."""
        self.moment += STEP
        acts = {
            self._look: 4, self._apply: 8, self._submit: 5, self._beat: 6, self._live: 5,
            self._stop: 1, self._edit_quota: 1, self._drain: 1, self._shut: 1, self._sweep: 1,
        }  # fmt: skip
        (act,) = self.rng.choices(list(acts), list(acts.values()))
        with freeze(self.moment):
            act()
            if act != self._look:  # it only reads
                assert_sound()

    def come_to_rest(self) -> None:
        """Cancel everything: it must end, and nothing may be held."""
        with freeze(self.moment):
            for work in self.works:
                cancel(work)
            for _ in range(ROUNDS_TO_REST):
                for node in self.nodes:
                    node.exchange()
            assert_sound()
        assert set(Workload.objects.values_list("state", flat=True)) <= set(TERMINAL)
        assert not Allocation.objects.exclude(state="released").exists()
        assert set(Quota.objects.values_list("used", flat=True)) == {0}

    def _look(self) -> None:
        self.rng.choice(self.loops).look()

    def _apply(self) -> None:
        loop = self.rng.choice(self.loops)
        if loop.plan is None:
            loop.look()
        loop.apply(self.rng, self.told)

    def _submit(self) -> None:
        group, owner = self.rng.choice(self.people)
        is_modest = len(self.works) < MODEST
        if not is_modest and self.rng.random() < 0.35:
            slices = self.rng.randint(1, 4)
            work = a_workload(owner, group, self.development, kind="environment", slices=slices)
        else:
            work = a_workload(
                owner,
                group,
                self.training,
                gpus=self.rng.choice([0, 1, 1, 2]),
                replicas=self.rng.choice([1, 1, 1, 2]),
                priority=-100 if is_modest else self.rng.choice([0, 100]),
                preemptible=is_modest or self.rng.random() < 0.5,
            )
        self.works.append(work)

    def _beat(self) -> None:
        for node in self.nodes:
            if self.rng.random() < 0.8:
                node.exchange(is_heard=self.rng.random() < 0.95, hears=self.rng.random() < 0.9)

    def _live(self) -> None:
        for node in self.nodes:
            for report in list(node.running.values()):
                match self.rng.randrange(40):
                    case 0:
                        node.end(report, ExitCause.EXITED, 0)
                    case 1:
                        node.end(report, ExitCause.VANISHED, None)
                    case _:
                        node.advance(report)

    def _stop(self) -> None:
        if self.works:
            cancel(self.rng.choice(self.works))

    def _edit_quota(self) -> None:
        """Set a ceiling as low as the present use, or higher; less would be over by itself."""
        quota = self.rng.choice(list(Quota.objects.order_by("id")))
        least = max(quota.used, quota.deserved)
        ceiling = self.rng.choice([least, least + 1000, 7000])
        Quota.objects.filter(pk=quota.pk).update(ceiling=max(ceiling, least))

    def _drain(self) -> None:
        node = self.rng.choice(self.nodes).link.node
        act = self.rng.choice([nodes.drain_node, nodes.uncordon_node, nodes.uncordon_node])
        try:
            with transaction.atomic():
                act(actor=self.operator, node_id=node.pk)
        except DomainError:
            return

    def _shut(self) -> None:
        is_open = self.rng.random() < 0.9
        pool = self.rng.choice([self.training, self.development])
        Pool.objects.filter(pk=pool.pk).update(is_open=is_open)

    def _sweep(self) -> None:
        run_sweep(heartbeat=HEARTBEAT)

    @staticmethod
    def _set_policy(pool: Pool, policy: Mapping[str, object]) -> None:
        Pool.objects.filter(pk=pool.pk).update(policy=policy)


def test_old_plans_of_three_loops_break_nothing() -> None:
    told: Counter[str] = Counter()
    for seed in range(SEEDS):
        with transaction.atomic():
            world = World(random.Random(seed), told)
            world.open()
            for _ in range(STEPS):
                world.step()
            world.come_to_rest()
            transaction.set_rollback(True)

    # Or nothing was shown: plans stood, came too late, and took work off its nodes.
    assert min(told[what] for what in ("placed", "refused", "evicted")) > 0, told
