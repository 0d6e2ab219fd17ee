"""Enrolment of nodes: a one-time token is exchanged for a key, which authenticates the agent.

Tokens and keys have 256 random bits; the database keeps their SHA-256 only. A key is valid for
`node_key_life_s`; before its end the agent asks for the next one, whose first use revokes the older
ones. A node whose key has expired must join again.
"""

import hashlib
import re
import secrets
from datetime import timedelta
from typing import ClassVar, Final
from uuid import UUID

from django.db import transaction

from portal.agentlink import facts
from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DomainError, InvalidError
from portal.common.model_rows import ModelRows
from portal.common.site_config import get_site_config
from portal.inventory.models import JoinToken, Node, NodeKey
from portal.workloads.models import Allocation
from portal.workloads.operations import pools
from scheduler.core.model.states import LIVE_ALLOCATION, NodeHold, NodeState
from wire.messages import Join, Joined, NewKey
from wire.versions import SUPPORTED_VERSIONS

REPLACEABLE: Final = frozenset(
    {NodeState.JOINING, NodeState.LOST, NodeState.DRAINED, NodeState.RETIRED}
)
"""States in which a node of the same name may join: none of its containers can be running."""

_KEY = re.compile(r"berthnode_[A-Za-z0-9_-]{43}")


OVERLAP: Final = timedelta(hours=24)
"""How long a key stays valid after its successor was issued, if that is never used."""


class NodeJoinRefusedError(DomainError):
    """The join token is not valid for this node."""

    status: ClassVar[int] = 403


class NodeInUseError(DomainError):
    """A node of this name is in service or still holds work; another host cannot replace it."""

    status: ClassVar[int] = 409


class NodeKeyRefusedError(DomainError):
    """The node's key is not, or no longer, valid: it must join again."""

    status: ClassVar[int] = 401


_KEYS: Final = ModelRows(NodeKey, "given")
# Written out, because every link of a node asks it every few seconds.
_VALID_KEY: Final = _KEYS.fill("""
SELECT {given} FROM inventory_nodekey given JOIN inventory_node node ON node.id = given.node_id
WHERE given.digest = %s AND given.expires_at > %s AND node.state <> %s
""")


def authenticate_node(key: str) -> UUID | None:
    """Return the node of a valid key, or None; the first use of a key revokes the older ones."""
    if not _KEY.fullmatch(key):
        return None
    row = next(iter(_KEYS.fetch(_VALID_KEY, [_digest(key), now(), NodeState.RETIRED.value])), None)
    if row is None:
        return None
    if row.used_at is None:
        _record_first_use(row)
    return row.node_id


def require_node(key: str) -> UUID:
    """Return the node of a valid key; raises `NodeKeyRefusedError`."""
    node_id = authenticate_node(key)
    if node_id is None:
        raise NodeKeyRefusedError("node_key_invalid")
    return node_id


@transaction.atomic
def _record_first_use(key: NodeKey) -> None:
    NodeKey.objects.filter(pk=key.pk, used_at=None).update(used_at=now())
    NodeKey.objects.filter(node=key.node_id, created_at__lt=key.created_at).delete()


@transaction.atomic
def rotate_key(key: str) -> NewKey:
    """Exchange a valid key for the next one; one issued before and never used is deleted."""
    node_id = require_node(key)
    node = Node.objects.select_for_update(no_key=True).get(pk=node_id)
    present = NodeKey.objects.filter(digest=_digest(key)).first()
    if present is None:  # its successor was used, or the node quarantined, at this very moment
        raise NodeKeyRefusedError("node_key_invalid")
    NodeKey.objects.filter(node=node, created_at__gt=present.created_at).delete()
    present.expires_at = min(present.expires_at, now() + OVERLAP)
    present.save(update_fields=["expires_at"])
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="node.rotate_key",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name},
    )
    return NewKey(key=_new_key(node), life_s=get_site_config().node_key_life_s)


def _new_key(node: Node) -> str:
    key = f"berthnode_{secrets.token_urlsafe(32)}"
    life = timedelta(seconds=get_site_config().node_key_life_s)
    NodeKey.objects.create(node=node, digest=_digest(key), expires_at=now() + life)
    return key


@transaction.atomic
def join_node(request: Join) -> Joined:
    """Exchange a join token for a node key, once."""
    if request.protocol not in SUPPORTED_VERSIONS:
        raise InvalidError("unsupported_protocol", version=request.protocol)
    token = _use_token(request)
    node = Node.objects.select_for_update(no_key=True).filter(name=request.name).first()
    if node is None:
        node = Node(name=request.name)
    else:
        _require_replaceable(node, request.facts.machine_id)
    has_moved = node.pool_id not in (None, token.pool_id)
    node.pool = token.pool
    if not _is_awaited(node, request.facts.machine_id):
        _forget_boot(node)
    if node.hold == NodeHold.QUARANTINE:
        node.hold = NodeHold.NONE.value
    for name, value in facts.to_node_columns(request.facts).items():
        setattr(node, name, value)
    node.save()
    NodeKey.objects.filter(node=node).delete()
    key = _new_key(node)
    if has_moved:
        pools.move_cards([node], token.pool)
    facts.update_cards(node, request.facts.accelerators)
    audit.record_event(
        actor=Actor.system(f"node:{node.name}"),
        action="node.join",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name, "pool": token.pool.name, "address": node.address},
    )
    return Joined(node_id=str(node.pk), key=key, key_life_s=get_site_config().node_key_life_s)


def _use_token(request: Join) -> JoinToken:
    tokens = JoinToken.objects.select_related("pool").select_for_update(of=("self",))
    token = tokens.filter(digest=_digest(request.token)).first()
    if token is None or token.node_name != request.name:
        raise NodeJoinRefusedError("join_token_invalid")
    if token.used_at is not None:
        raise NodeJoinRefusedError("join_token_used")
    if token.expires_at <= now():
        raise NodeJoinRefusedError("join_token_expired")
    token.used_at = now()
    token.save(update_fields=["used_at"])
    return token


def _forget_boot(node: Node) -> None:
    """Begin a new life of the node: what was there before is gone."""
    node.state = NodeState.JOINING.value
    node.last_seq, node.boot_id, node.rival_boot_id, node.rival_seq = -1, "", "", -1
    node.agent_since_seq, node.challenge_seq, node.has_applied = -1, -1, False
    node.instance, node.rival_instance = "", ""
    node.last_seen_at = node.lease_until = node.returned_at = None
    node.lost_as = node.lost_boot_id = ""
    node.awaits_report = False


def _is_awaited(node: Node, machine_id: str) -> bool:
    """Return whether this is the machine whose report a restored portal awaits.

    Its key may have been renewed since the backup. What it runs is not touched by joining again.
    """
    return bool(node.awaits_report and machine_id and node.machine_id == machine_id)


def _require_replaceable(node: Node, machine_id: str) -> None:
    if _is_awaited(node, machine_id):
        return
    live = Allocation.objects.filter(node=node, state__in=LIVE_ALLOCATION)
    if NodeState(node.state) not in REPLACEABLE or live.exists():
        raise NodeInUseError("node_in_use", node=node.name, state=node.state)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
