"""Scenes for the life of workloads: a small cluster, a quota, placements made by hand."""

from dataclasses import dataclass, field

from django.db import transaction

from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.identity.models import User
from portal.inventory.models import Node, Pool
from portal.quotas.models import Quota
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, Workload
from portal.workloads.state import lifecycle
from portal.workloads.state.commit import commit_placements
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    Placement,
    PoolId,
    Request,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.states import LIVE_ALLOCATION, WorkloadState
from scheduler.runtime.audit import audit_database
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.scripted_node import ScriptedNode
from tests.builders.workloads import a_workload


@dataclass
class Scene:
    """One pool with its nodes, one group with a member."""

    pool: Pool
    nodes: list[Node]
    group: Group
    owner: User
    links: list[ScriptedNode] = field(default_factory=list)

    def work(self, **asked: object) -> Workload:
        """Save a queued workload of the member."""
        return a_workload(self.owner, self.group, self.pool, **asked)  # type: ignore[arg-type]

    def pending(self, *, gpus: int = 0, slices: int = 0) -> PendingWorkload:
        """Return a job of the member that is not submitted, as the engine would see it queued."""
        return PendingWorkload(
            id=WorkloadId("not submitted"),
            pool=PoolId(str(self.pool.pk)),
            group=GroupId(str(self.group.pk)),
            user=UserId(str(self.owner.pk)),
            priority=0,
            submitted_at=Millis(to_millis(now())),
            request=Request(gpus=gpus, slices=slices),
            version=0,
            time_limit_s=0,
        )

    def placement(
        self, node: int = 0, cards: tuple[int, ...] = (), slots: tuple[int, ...] = ()
    ) -> Placement:
        """Name cards of a node by index; with `slots`, slices of its first named card."""
        found = list(self.nodes[node].accelerators.order_by("index"))
        pairs = [(found[cards[0]], slot) for slot in slots] or [(found[i], 0) for i in cards]
        devices = tuple((AcceleratorId(str(card.pk)), slot) for card, slot in pairs)
        return Placement(NodeId(str(self.nodes[node].pk)), devices)

    def place(self, workload: Workload, *placements: Placement) -> list[Allocation]:
        """Place a workload as the scheduler would, and return what it holds."""
        workload.refresh_from_db()
        start = PlannedStart(
            WorkloadId(str(workload.pk)), workload.version, placements or (self.placement(),)
        )
        for refusal in commit_placements([start]).values():
            raise refusal
        workload.refresh_from_db()
        return self.held(workload)

    def held(self, workload: Workload) -> list[Allocation]:
        """Return the live allocations of a workload, in rank order."""
        return list(workload.allocations.filter(state__in=LIVE_ALLOCATION).order_by("rank"))


def a_scene(
    *,
    nodes: int = 1,
    slices: int = 1,
    cards: int = 8,
    is_divided: bool = False,
    silence: str = "keep",
) -> Scene:
    """Save a pool with ready nodes and a group with one developer."""
    pool = a_pool(slices=slices, is_divided=is_divided, silence=silence)
    rows = [a_node(pool, cards=cards) for _ in range(nodes)]
    group = a_group()
    return Scene(pool, rows, group, a_member(group), [ScriptedNode(row) for row in rows])


def a_quota(
    group: Group,
    resource: str = "gpu",
    *,
    ceiling: int | None,
    user_ceiling: int | None = None,
    pool: Pool | None = None,
) -> Quota:
    """Save a quota row."""
    return Quota.objects.create(
        group=group, pool=pool, resource=resource, ceiling=ceiling, user_ceiling=user_ceiling
    )


def cancel(work: Workload) -> None:
    """Ask a workload to end as cancelled, and look at what became of it."""
    with transaction.atomic():
        lifecycle.request_stop(
            lifecycle.lock_workload(work.pk),
            outcome=WorkloadState.CANCELLED,
            cause="requested",
            actor=Actor.system("test"),
        )
    work.refresh_from_db()


def passed(work: Workload) -> list[str]:
    """Return the states that a workload has come through, in order."""
    return list(work.events.order_by("id").values_list("to_state", flat=True))


def assert_sound() -> None:
    """Check every core invariant on what the database says now."""
    assert audit_database() == ()
