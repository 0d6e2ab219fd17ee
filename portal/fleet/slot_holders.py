"""The work on each slot of each card, as far as an actor may see it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Count, Sum

from portal.common.actor import Actor
from portal.tenancy import policies
from portal.workloads.models import Allocation, AllocationDevice
from scheduler.core.model.states import LIVE_ALLOCATION


class Owner(NamedTuple):
    """A person as holders name it."""

    id: UUID
    username: str
    display_name: str


class SlotHolder(NamedTuple):
    """An occupied slot; of other tenants' work only that it is occupied."""

    slot: int
    mine: bool = False
    visible: bool = False
    lent: bool = False
    """The work belongs to another pool than the card."""
    workload_id: UUID | None = None
    workload_name: str | None = None
    owner: Owner | None = None


class _HolderRow(NamedTuple):
    """The few columns that a list of holders needs: whole rows of work cost most of a page of nodes."""

    card: UUID
    slot: int
    card_pool: UUID
    workload: UUID
    name: str
    group: UUID
    pool: UUID
    owner: UUID
    username: str
    display_name: str


_OF_WORK: Final = "allocation__workload"
_COLUMNS: Final = (
    *("accelerator", "slot", "accelerator__pool"),
    *(_OF_WORK, f"{_OF_WORK}__name", f"{_OF_WORK}__group", f"{_OF_WORK}__pool"),
    *(f"{_OF_WORK}__owner{field}" for field in ("", "__username", "__display_name")),
)


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
        .values_list(*_COLUMNS)
    )
    visible = policies.visible_group_ids(actor)
    holders: dict[UUID, list[SlotHolder]] = defaultdict(list)
    for row in map(_HolderRow._make, live):
        holders[row.card].append(_holder(row, actor.user_id, visible))
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


def _holder(row: _HolderRow, reader: UUID | None, visible: frozenset[UUID] | None) -> SlotHolder:
    is_mine, is_lent = row.owner == reader, row.pool != row.card_pool
    if not is_mine and visible is not None and row.group not in visible:
        return SlotHolder(slot=row.slot, lent=is_lent)
    owner = Owner(row.owner, row.username, row.display_name)
    return SlotHolder(row.slot, is_mine, True, is_lent, row.workload, row.name, owner)
