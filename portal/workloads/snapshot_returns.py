"""Notebooks that wait for the cards they gave up, as the scheduler sees them: work for one node.

Each waits under a name of its own, because the notebook itself runs; it asks for cards alone.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from portal.common.clock import to_millis
from portal.workloads import idle_facts
from portal.workloads.models import Allocation, Idleness
from portal.workloads.placement import LIVE
from portal.workloads.requests import columns_of, request_from
from portal.workloads.snapshot_work import Held
from scheduler.core.entities import (
    AcceleratorId,
    GroupId,
    Millis,
    NodeId,
    PendingWorkload,
    PoolId,
    UserId,
    WorkloadId,
)
from scheduler.core.reasons import Reason, ReasonCode
from scheduler.core.states import WorkloadState


@dataclass(frozen=True, slots=True)
class Returns:
    """What waits for its cards, and which running workloads that is."""

    pending: tuple[PendingWorkload, ...] = ()
    workloads: frozenset[WorkloadId] = frozenset()


def waiting_for_cards(held: Collection[Held], moment: datetime) -> Returns:
    """Return what waits for its cards; nothing, after one query, where nobody does."""
    asked = Idleness.objects.filter(
        cards=Idleness.Cards.ASKED, workload__state=WorkloadState.RUNNING, request__isnull=False
    )
    rows = list(asked.select_related("workload").order_by("request"))
    if not rows:
        return Returns()
    taken = {device for item in held for device in item.devices}
    live = Allocation.objects.filter(
        workload__in=[row.pk for row in rows], state__in=LIVE
    ).select_related("node")
    homes = {(item.workload_id, item.epoch): item for item in live}
    found = [
        row for row in rows if row.epoch == row.workload.epoch and (row.pk, row.epoch) in homes
    ]
    return Returns(
        tuple(_pending(row, homes[row.pk, row.epoch], taken, moment) for row in found),
        frozenset(WorkloadId(str(row.pk)) for row in found),
    )


def _pending(
    row: Idleness,
    home: Allocation,
    taken: Collection[tuple[AcceleratorId, int]],
    moment: datetime,
) -> PendingWorkload:
    work = row.workload
    request = replace(
        request_from(columns_of(work)), cpu=0, memory=0, home=NodeId(str(home.node_id))
    )
    ends_at = (work.started_at or moment) + timedelta(seconds=work.time_limit_s)
    is_high = work.priority_until is None or work.priority_until > moment
    return PendingWorkload(
        id=WorkloadId(str(row.request)),
        pool=PoolId(str(work.pool_id)),
        group=GroupId(str(work.group_id)),
        user=UserId(str(work.owner_id)),
        kind=work.kind,
        priority=work.priority if is_high else 0,
        submitted_at=Millis(to_millis(row.moved_at or moment)),
        request=request,
        version=work.version,
        time_limit_s=max(1, int((ends_at - moment).total_seconds())),
        held=_held_back(home, taken),
    )


def _held_back(
    home: Allocation, taken: Collection[tuple[AcceleratorId, int]]
) -> tuple[Reason, ...]:
    """Say that its own cards are with others, where no others will do."""
    if not idle_facts.needs_its_own(home):
        return ()
    own = idle_facts.last_devices(home)
    free = sum(device not in taken for device in own)
    if free == len(own):
        return ()
    params: dict[str, int | str] = {"resource": "cards", "requested": len(own), "free": free}
    return (Reason(ReasonCode.INSUFFICIENT_NOW, params),)
