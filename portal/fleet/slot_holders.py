"""The work on each slot of each card, as far as an actor may see it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Sum

from portal.common.actor import Actor
from portal.identity.models import User
from portal.tenancy import policies
from portal.workloads.models import Allocation, AllocationDevice
from scheduler.core.model.states import LIVE_ALLOCATION


@dataclass(frozen=True, slots=True)
class SlotHolder:
    """An occupied slot; of other tenants' work only that it is occupied."""

    slot: int
    mine: bool = False
    visible: bool = False
    lent: bool = False
    """The work belongs to another pool than the card."""
    workload_id: UUID | None = None
    workload_name: str | None = None
    owner: User | None = None


@dataclass(frozen=True, slots=True)
class NodeUse:
    """What live work uses of a node besides cards."""

    containers: int = 0
    cpu_milli: int = 0
    memory_mib: int = 0


def holders_by_card(actor: Actor, card_ids: Collection[UUID]) -> Mapping[UUID, list[SlotHolder]]:
    """Return the occupied slots of these cards, in slot order (one query)."""
    live = (
        AllocationDevice.objects.filter(accelerator__in=card_ids, released_at=None)
        .select_related("allocation__workload__owner", "accelerator")
        .order_by("accelerator", "slot")
    )
    visible = policies.visible_group_ids(actor)
    holders: dict[UUID, list[SlotHolder]] = defaultdict(list)
    for device in live:
        holders[device.accelerator_id].append(_holder(device, actor, visible))
    return holders


def use_by_node(node_ids: Collection[UUID]) -> Mapping[UUID, NodeUse]:
    """Return what live work uses of these nodes (one query)."""
    live = Allocation.objects.filter(node__in=node_ids, state__in=LIVE_ALLOCATION)
    sums = (
        live.order_by()
        .values("node")
        .annotate(count=Count("pk"), cpu=Sum("cpu_milli"), memory=Sum("memory_mib"))
    )
    return {row["node"]: NodeUse(row["count"], row["cpu"], row["memory"]) for row in sums}


def _holder(device: AllocationDevice, actor: Actor, visible: frozenset[UUID] | None) -> SlotHolder:
    workload = device.allocation.workload
    is_mine = workload.owner_id == actor.user_id
    is_lent = workload.pool_id != device.accelerator.pool_id
    if not is_mine and visible is not None and workload.group_id not in visible:
        return SlotHolder(slot=device.slot, lent=is_lent)
    return SlotHolder(
        slot=device.slot,
        mine=is_mine,
        visible=True,
        lent=is_lent,
        workload_id=workload.pk,
        workload_name=workload.name,
        owner=workload.owner,
    )
