"""Reads of pools, nodes and cards, which every signed-in user may see (but not what runs on them)."""

from collections.abc import Mapping
from uuid import UUID

from django.db.models import QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.inventory.card_facts import parse_mig_profiles
from portal.inventory.models import Accelerator, Node, PolicyChange, Pool
from portal.tenancy import policies
from scheduler.core.model.mig import MigProfiles, MigProfileSpec
from scheduler.core.model.states import AcceleratorState, NodeState


def pools_visible_to(actor: Actor) -> QuerySet[Pool]:
    """Return all pools that the actor may see."""
    is_visible = policies.has_role_for(actor, Action.POOL_VIEW)
    return Pool.objects.all() if is_visible else Pool.objects.none()


def pool_visible_to(actor: Actor, pool_id: UUID) -> Pool:
    """Return one pool."""
    pool = pools_visible_to(actor).filter(pk=pool_id).first()
    if pool is None:
        raise NotFoundError("pool")
    return pool


def policy_changes_visible_to(actor: Actor, pool_id: UUID) -> QuerySet[PolicyChange]:
    """Return what changed the policy of a pool.

    Raises:
        NotFoundError: there is no such pool.
    """
    rows = PolicyChange.objects.filter(pool=pool_visible_to(actor, pool_id))
    return rows.select_related("actor").prefetch_related("undone_by")


def nodes_visible_to(actor: Actor) -> QuerySet[Node]:
    """Return the nodes in service that the actor may see, with their pools."""
    is_visible = policies.has_role_for(actor, Action.NODE_VIEW)
    rows = Node.objects.exclude(state=NodeState.RETIRED) if is_visible else Node.objects.none()
    return rows.select_related("pool")


def node_visible_to(actor: Actor, node_id: UUID) -> Node:
    """Return one node in service."""
    node = nodes_visible_to(actor).filter(pk=node_id).first()
    if node is None:
        raise NotFoundError("node")
    return node


def card_visible_to(actor: Actor, card_id: UUID) -> Accelerator:
    """Return one card, also of a node that is no longer in service."""
    card = Accelerator.objects.filter(pk=card_id).first()
    if card is None or not policies.has_role_for(actor, Action.NODE_VIEW):
        raise NotFoundError("accelerator")
    return card


def dataset_folders_for_system() -> Mapping[str, list[str] | None]:
    """Return the folders of data sets of every node in service, by its name; None is unknown."""
    absent = (NodeState.JOINING, NodeState.LOST, NodeState.RETIRED)
    return dict(Node.objects.exclude(state__in=absent).values_list("name", "dataset_folders"))


def pool_has_cards_for_system(pool: Pool) -> bool:
    """Return whether a node of the pool has joined that has not been retired since."""
    cards = Accelerator.objects.filter(pool=pool).exclude(state=AcceleratorState.GONE)
    return cards.exclude(node__state=NodeState.RETIRED).exists()


def pool_mig_profiles_for_system(pool: Pool) -> MigProfiles:
    """Return every profile that cards of a pool can be cut into, smallest first.

    Where card models use one name for different sizes, the larger size is returned.
    """
    cards = Accelerator.objects.filter(pool=pool, mode=Pool.Mode.MIG)
    present = cards.exclude(state=AcceleratorState.GONE).order_by("id")
    found: dict[str, MigProfileSpec] = {}
    for stored in present.values_list("mig_profiles", flat=True):
        for profile in parse_mig_profiles(stored):
            known = found.setdefault(profile.name, profile)
            if profile.size > known.size:
                found[profile.name] = profile
    return tuple(sorted(found.values(), key=lambda item: (item.size, item.compute, item.name)))
