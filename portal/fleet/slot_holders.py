"""The work on each slot of each card, as far as an actor may see it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Count, Sum

from portal.common.actor import Actor
from portal.common.postgresql.arrays import format_array
from portal.tenancy import policies
from portal.workloads.models import Allocation
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


# OFFSET 0: without it, PostgreSQL starts a second process to join some hundreds of rows.
_HOLDERS: Final = """
SELECT part.accelerator_id, part.slot, card.pool_id, work.id, work.name, work.group_id, work.pool_id,
    owner.id, owner.username, owner.display_name
FROM inventory_accelerator card
JOIN workloads_allocationdevice part
    ON part.accelerator_id = card.id AND part.released_at IS NULL
JOIN workloads_allocation held
    ON held.id = part.allocation_id AND held.state IN ('reserved', 'bound', 'lost')
CROSS JOIN LATERAL (
    SELECT found.id, found.name, found.group_id, found.pool_id, found.owner_id
    FROM workloads_workload found WHERE found.id = held.workload_id OFFSET 0
) work
JOIN identity_user owner ON owner.id = work.owner_id
WHERE card.node_id = ANY(%s::uuid[]) ORDER BY part.accelerator_id, part.slot
"""


@dataclass(frozen=True, slots=True)
class NodeUse:
    """What live work uses of a node besides cards."""

    containers: int = 0
    cpu_milli: int = 0
    memory_mib: int = 0


def holders_by_card(actor: Actor, node_ids: Collection[UUID]) -> Mapping[UUID, list[SlotHolder]]:
    """Return the occupied slots of the cards of these nodes by card, in slot order (one query)."""
    visible = policies.visible_group_ids(actor)
    holders: dict[UUID, list[SlotHolder]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_HOLDERS, [format_array(node_ids)])
        for row in map(_HolderRow._make, cursor.fetchall()):
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
