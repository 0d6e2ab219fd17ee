"""What operators do to pools in use: change, recut, move nodes, remove.

| action | requires | refused while there are |
|---|---|---|
| change titles, purpose, limits, open or closed | | |
| recut the cards (mode, slices, slice memory) | all its nodes drained | unfinished work of the pool |
| move a node with all its cards | the node drained | notebooks with files on this node only |
| remove | an empty pool | nodes, work (past or present), quotas, budgets, policies that name it |

All cards of a node belong to one pool, so cards move with their node. Locks: the pool, the advisory
locks of its nodes, the nodes, the cards, each in the order of ids.
"""

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from portal.audit import services as audit
from portal.audit.versions import POOL, require_version
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, NotFoundError
from portal.common.notifications import (
    NODES_TOPIC,
    invalidate_topics,
    wake_nodes,
    wake_scheduler,
)
from portal.common.work_kinds import kinds_where
from portal.inventory import cuts
from portal.inventory.models import Accelerator, JoinToken, Node, Pool
from portal.inventory.node_storage import has_own_storage
from portal.quotas.models import Budget, Quota
from portal.reservations.models import AdvanceReservation
from portal.reservations.selectors import count_reserved_cards_for_system, unfinished_for_system
from portal.tenancy import policies
from portal.workloads.models import Allocation, DailyGpuUse, Workload
from portal.workloads.operations import node_state
from scheduler.core.model.states import LIVE_ALLOCATION, TERMINAL, AcceleratorState, NodeState

_CUT_COLUMNS: Final = ("mode", "slices", "slice_mib")

_COUNT_LOCAL_FILES: Final = """
SELECT count(*) FROM workloads_workload work
JOIN LATERAL (
    SELECT node_id FROM workloads_allocation
    WHERE workload_id = work.id AND started_at IS NOT NULL ORDER BY epoch DESC LIMIT 1
) last ON true
WHERE last.node_id = %s AND work.kind = ANY(%s) AND work.state <> ALL(%s)
"""


@transaction.atomic
def change_pool(
    *, actor: Actor, pool_id: UUID, changes: Mapping[str, Any], version: int | None = None
) -> None:
    """Change a pool; how its cards are cut only while none of them can be in use.

    Raises:
        ConflictError: `version`, which the caller read, is not the present one.
    """
    policies.require(actor, Action.POOL_MANAGE, None)
    pool = _lock_pool(pool_id)
    changes = {name: value for name, value in changes.items() if getattr(pool, name) != value}
    if not changes:
        return
    require_version(POOL, pool.pk, version)
    before = copy(pool)
    for name, value in changes.items():
        setattr(pool, name, value)
    cuts.require_valid_pool(pool)
    if not cuts.has_same_cut(before, pool):
        _recut_cards(pool)
    pool.save(update_fields=list(changes))
    then = {name: getattr(before, name) for name in changes}
    _audit(actor, "pool.change", pool, {"before": then, "after": changes})
    wake_scheduler()
    invalidate_topics([NODES_TOPIC])


@transaction.atomic
def remove_pool(*, actor: Actor, pool_id: UUID) -> None:
    """Remove a pool that has nothing in it and never had work; any other can be closed instead."""
    policies.require(actor, Action.POOL_MANAGE, None)
    # Tokens first: a node that joins locks its token, and then the pool.
    JoinToken.objects.filter(pool=pool_id).delete()
    pool = Pool.objects.filter(pk=pool_id).select_for_update().first()
    if pool is None:
        raise NotFoundError("pool")
    _require_empty(pool)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            pool.delete()
            # Otherwise a reference added by another transaction would be found only at the commit.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except IntegrityError as error:
        raise ConflictError("pool_in_use", pool=pool.name) from error
    pool.pk = pool_id
    _audit(actor, "pool.remove", pool, {})
    wake_scheduler()


@transaction.atomic
def move_node(*, actor: Actor, node_id: UUID, pool_id: UUID) -> None:
    """Move a drained node to another pool; its cards are recut as that pool says."""
    policies.require(actor, Action.POOL_MANAGE, None)
    policies.require(actor, Action.NODE_MANAGE, None)
    pool = _lock_pool(pool_id)
    node_state.lock_node(node_id)
    node = Node.objects.filter(pk=node_id).select_for_update(no_key=True).first()
    if node is None or node.state == NodeState.RETIRED:
        raise NotFoundError("node")
    if node.pool_id == pool.pk:
        return
    _require_drained([node])
    if reserved := count_reserved_cards_for_system(node.pk):
        raise ConflictError("node_is_reserved", node=node.name, count=reserved)
    if files := _count_local_notebooks(node):
        raise ConflictError("node_keeps_files", node=node.name, count=files)
    before = Pool.objects.get(pk=node.pool_id).name
    Node.objects.filter(pk=node_id).update(pool=pool)
    move_cards([node], pool)
    audit.record_event(
        actor=actor,
        action="node.move",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name, "from": before, "to": pool.name},
    )
    wake_scheduler()
    invalidate_topics([NODES_TOPIC])
    wake_nodes([node_id])


def move_cards(of: Collection[Node], pool: Pool) -> None:
    """Move the cards of nodes without work to a pool, recut as it says; the caller has locked the nodes.

    Raises:
        ConflictError: a card is too small for the slices of the pool.
    """
    cards = Accelerator.objects.filter(node__in=of).select_for_update(no_key=True).order_by("id")
    for card in (found := list(cards)):
        cut = cuts.cut_card(pool, card.memory_mib, card.reserve_mib)
        if cut is None and card.state != AcceleratorState.GONE:
            needs = pool.slices_per_card * pool.slice_mib + card.reserve_mib
            raise ConflictError(
                "card_too_small", card=card.uuid, needs_mib=needs, has_mib=card.memory_mib
            )
        shape = cut or cuts.leave_uncut(card.memory_mib, card.reserve_mib)
        card.pool = pool
        card.mode, card.slices, card.slice_mib = shape.mode, shape.slices, shape.slice_mib
    Accelerator.objects.bulk_update(found, ["pool", *_CUT_COLUMNS])


def _lock_pool(pool_id: UUID) -> Pool:
    pool = Pool.objects.filter(pk=pool_id).select_for_update(no_key=True).first()
    if pool is None:
        raise NotFoundError("pool")
    return pool


def _require_unreserved(pool: Pool) -> None:
    reserved = unfinished_for_system().filter(pool=pool.pk)
    if count := reserved.count():
        raise ConflictError("pool_has_reservations", pool=pool.name, count=count)


def _recut_cards(pool: Pool) -> None:
    """Recut every card of a pool; no work may use or wait for any of them, nor a reservation."""
    _require_unreserved(pool)
    unfinished = Workload.objects.filter(pool=pool.pk).exclude(state__in=TERMINAL)
    if count := unfinished.count():
        raise ConflictError("pool_has_work", pool=pool.name, count=count)
    there = Node.objects.filter(pool=pool.pk)
    for node_id in there.order_by("id").values_list("pk", flat=True):
        node_state.lock_node(node_id)
    held = list(there.select_for_update(no_key=True).order_by("id"))
    _require_drained([node for node in held if node.state != NodeState.RETIRED])
    move_cards([node for node in held if node.state != NodeState.RETIRED], pool)


def _require_drained(of: Collection[Node]) -> None:
    live = Allocation.objects.filter(node__in=of, state__in=LIVE_ALLOCATION)
    busy = set(live.values_list("node", flat=True))
    for node in of:
        if node.state != NodeState.DRAINED or node.pk in busy:
            raise ConflictError("drain_first", node=node.name, state=node.state)


def _count_local_notebooks(node: Node) -> int:
    """Count the notebooks whose files are on this node and nowhere else."""
    if not has_own_storage(node.faults):
        return 0
    with connection.cursor() as cursor:
        kept = kinds_where(lambda terms: terms.is_kept)
        ended = [state.value for state in TERMINAL]
        cursor.execute(_COUNT_LOCAL_FILES, [node.pk, kept, ended])
        (count,) = cursor.fetchone()
    return int(count)


def _require_empty(pool: Pool) -> None:
    """Refuse to remove a pool that is referred to; references that can be removed come first."""
    name = pool.name
    in_service = Node.objects.filter(pool=pool).exclude(state=NodeState.RETIRED)
    unfinished = Workload.objects.filter(pool=pool).exclude(state__in=TERMINAL)
    limits = Quota.objects.filter(pool=pool).count() + Budget.objects.filter(pool=pool).count()
    for code, count in (
        ("pool_has_nodes", in_service.count()),
        ("pool_has_work", unfinished.count()),
        ("pool_has_quotas", limits),
    ):
        if count:
            raise ConflictError(code, pool=name, count=count)
    for other, policy in Pool.objects.exclude(pk=pool.pk).values_list("name", "policy"):
        if name in (*policy.get("fall_back", ()), *policy.get("lending", {}).get("to_pools", ())):
            raise ConflictError("pool_is_named", pool=name, other=other)
    past = (Node, Accelerator, Workload, Allocation, DailyGpuUse, AdvanceReservation)
    if any(model.objects.filter(pool=pool).exists() for model in past):
        raise ConflictError("pool_has_past", pool=name)


def _audit(actor: Actor, action: str, pool: Pool, params: Mapping[str, Any]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="pool",
        object_id=pool.pk,
        params={"name": pool.name, **params},
    )
