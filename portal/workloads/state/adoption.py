"""Adopt what runs although a restored database does not know it: its placement is written afterwards.

The node's report takes the place of a plan. Devices, quotas and amounts are checked as for any placement;
what only governs starts (holds, dependencies, budgets, states of nodes and cards) is not, because it runs.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.inventory.models import Accelerator
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import ForgottenContainer, Workload
from portal.workloads.state import allocations, commit, lifecycle, transitions
from portal.workloads.state.forgotten import (
    Adoption,
    ForgottenAttempt,
    KnownWorkload,
    decide_adoption,
)
from scheduler.core.model.entities import AcceleratorId, NodeId, Placement, WorkloadId
from scheduler.core.model.plan import PlannedStart
from scheduler.core.model.states import WorkloadState

RECOVERY_ACTOR: Final = Actor.system("recovery")
ADOPTED: Final = "adopted"
"""Cause of the events with which a workload follows what its nodes have reported."""


def find_adoptable_for_system() -> list[UUID]:
    """Return the known workloads of which a node reports a forgotten attempt."""
    rows = ForgottenContainer.objects.filter(workload__isnull=False, stopped_at=None)
    return list(rows.order_by("workload").values_list("workload", flat=True).distinct())


def adopt_workload(workload_id: UUID) -> None:
    """Adopt the reported attempt of a workload, or note what stands against it."""
    try:
        workload = lifecycle.lock_workload(workload_id)
    except NotFoundError:
        return
    rows = ForgottenContainer.objects.select_related("node").select_for_update(of=("self",))
    rows = rows.filter(workload=workload, stopped_at=None)
    attempts: dict[int, list[ForgottenContainer]] = defaultdict(list)
    for row in rows.order_by("epoch", "rank"):
        attempts[row.epoch].append(row)
    for epoch, ranks in attempts.items():
        verdict = _judge(workload, ranks, latest_epoch=max(attempts))
        if verdict is Adoption.POSSIBLE:
            verdict = _try_adopt(workload, epoch, ranks)
        if verdict is not Adoption.POSSIBLE:
            keys = [row.pk for row in ranks if row.waits_for != verdict]
            ForgottenContainer.objects.filter(pk__in=keys).update(waits_for=verdict.value)


def _judge(
    workload: Workload, ranks: Sequence[ForgottenContainer], *, latest_epoch: int
) -> Adoption:
    live = allocations.live_allocations(workload)
    state = WorkloadState(workload.state)
    known = KnownWorkload(state, workload.epoch, workload.replicas, len(live))
    attempt = ForgottenAttempt(
        ranks[0].epoch,
        frozenset(row.rank for row in ranks),
        has_devices=all(row.devices is not None for row in ranks),
    )
    return decide_adoption(known, attempt, latest_epoch=latest_epoch)


def _try_adopt(workload: Workload, epoch: int, ranks: Sequence[ForgottenContainer]) -> Adoption:
    try:
        with transaction.atomic():
            _adopt(workload, epoch, ranks)
    except PlacementRefusedError:
        workload.refresh_from_db()
        return Adoption.REFUSED
    return Adoption.POSSIBLE


def _adopt(workload: Workload, epoch: int, ranks: Sequence[ForgottenContainer]) -> None:
    if workload.state == WorkloadState.SUSPENDED:
        transitions.move_workload(
            workload, WorkloadState.QUEUED, actor=RECOVERY_ACTOR, cause=ADOPTED
        )
    cards = _cards_of(ranks)
    place = PlannedStart(
        WorkloadId(str(workload.pk)),
        workload.version,
        tuple(_placement(row, cards) for row in ranks),
    )
    with transitions.next_epoch(workload, epoch):
        commit.adopt_placement(place)
    allocations.presume_kept(workload, epoch)
    workload.refresh_from_db()
    transitions.record_note(
        [workload],
        actor=RECOVERY_ACTOR,
        cause=ADOPTED,
        params={"node": ", ".join(sorted({row.node.name for row in ranks}))[:200]},
    )
    ForgottenContainer.objects.filter(pk__in=[row.pk for row in ranks]).delete()


def _cards_of(ranks: Collection[ForgottenContainer]) -> Mapping[str, UUID]:
    named = {device["uuid"] for row in ranks for device in row.devices}
    return dict(Accelerator.objects.filter(uuid__in=named).values_list("uuid", "pk"))


def _placement(row: ForgottenContainer, cards: Mapping[str, UUID]) -> Placement:
    def card(device: Mapping[str, Any]) -> AcceleratorId:
        found = cards.get(device["uuid"])
        if found is None:
            raise PlacementRefusedError("node_unavailable", node=row.node.name)
        return AcceleratorId(str(found))

    slots = tuple((card(device), device["slot"]) for device in row.devices)
    return Placement(NodeId(str(row.node_id)), slots)
