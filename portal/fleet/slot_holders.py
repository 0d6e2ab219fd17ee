"""The work on each slot of each card, as far as an actor may see it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, F, Sum

from portal.common.actor import Actor
from portal.tenancy import policies
from portal.workloads.models import Allocation, AllocationDevice
from scheduler.core.model.states import LIVE_ALLOCATION

_OF_HOLDERS: Final = {
    "workload": F("allocation__workload"),
    "name": F("allocation__workload__name"),
    "group": F("allocation__workload__group"),
    "pool": F("allocation__workload__pool"),
    "owner": F("allocation__workload__owner"),
    "username": F("allocation__workload__owner__username"),
    "display_name": F("allocation__workload__owner__display_name"),
    "card_pool": F("accelerator__pool"),
}
"""The few columns that a list of holders needs: whole rows of work cost most of a page of nodes."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A person as holders name it."""

    id: UUID
    username: str
    display_name: str


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
    owner: Owner | None = None


@dataclass(frozen=True, slots=True)
class NodeUse:
    """What live work uses of a node besides cards."""

    containers: int = 0
    cpu_milli: int = 0
    memory_mib: int = 0


def holders_by_card(actor: Actor, node_ids: Collection[UUID]) -> Mapping[UUID, list[SlotHolder]]:
    """Return the occupied slots of the cards of these nodes by card, in slot order (one query)."""
    live = (
        AllocationDevice.objects.filter(
            accelerator__node__in=node_ids,
            released_at=None,
            allocation__state__in=LIVE_ALLOCATION,  # has an index of its own
        )
        .order_by("accelerator", "slot")
        .values("accelerator", "slot", **_OF_HOLDERS)
    )
    visible = policies.visible_group_ids(actor)
    holders: dict[UUID, list[SlotHolder]] = defaultdict(list)
    for row in live:
        holders[row["accelerator"]].append(_holder(row, actor, visible))
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


def _holder(row: Mapping[str, Any], actor: Actor, visible: frozenset[UUID] | None) -> SlotHolder:
    is_mine = row["owner"] == actor.user_id
    is_lent = row["pool"] != row["card_pool"]
    if not is_mine and visible is not None and row["group"] not in visible:
        return SlotHolder(slot=row["slot"], lent=is_lent)
    return SlotHolder(
        slot=row["slot"],
        mine=is_mine,
        visible=True,
        lent=is_lent,
        workload_id=row["workload"],
        workload_name=row["name"],
        owner=Owner(row["owner"], row["username"], row["display_name"]),
    )
