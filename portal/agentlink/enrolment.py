"""How a node becomes known: a one-time token buys a key, and the key proves every connection.

Tokens and keys have 256 bits of their own; the database keeps their SHA-256 only.
"""

import hashlib
import re
import secrets
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.agentlink import facts
from portal.agentlink.errors import JoinRefusedError, NodeInUseError
from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import InvalidError
from portal.inventory.models import JoinToken, Node
from portal.workloads.models import Allocation
from portal.workloads.placement import LIVE
from scheduler.core.states import NodeState
from wire.messages import Join, Joined
from wire.versions import SUPPORTED_VERSIONS

REPLACEABLE: Final = frozenset({NodeState.JOINING, NodeState.LOST})
"""States in which a node of the same name may join anew: nothing of it can be running."""

_KEY = re.compile(r"berthnode_[A-Za-z0-9_-]{43}")


def authenticate(key: str) -> UUID | None:
    """Return the node that a key belongs to, or None."""
    if not _KEY.fullmatch(key):
        return None
    nodes = Node.objects.exclude(state=NodeState.RETIRED)
    return nodes.filter(key_digest=_digest(key)).values_list("pk", flat=True).first()


@transaction.atomic
def join(request: Join) -> Joined:
    """Swap a join token for a node key, once."""
    if request.protocol not in SUPPORTED_VERSIONS:
        raise InvalidError("unsupported_protocol", version=request.protocol)
    token = _use_token(request)
    key = f"berthnode_{secrets.token_urlsafe(32)}"
    node = Node.objects.select_for_update(no_key=True).filter(name=request.name).first()
    if node is None:
        node = Node(name=request.name)
    else:
        _require_replaceable(node)
    node.pool = token.pool
    node.key_digest = _digest(key)
    node.state = NodeState.JOINING.value
    node.last_seq, node.boot_id = -1, ""
    for name, value in facts.node_columns(request.facts).items():
        setattr(node, name, value)
    node.save()
    facts.record_cards(node, request.facts.accelerators)
    audit.record(
        actor=Actor.system(f"node:{node.name}"),
        action="node.join",
        object_type="node",
        object_id=node.pk,
        params={"name": node.name, "pool": token.pool.name, "address": node.address},
    )
    return Joined(node_id=str(node.pk), key=key)


def _use_token(request: Join) -> JoinToken:
    tokens = JoinToken.objects.select_related("pool").select_for_update(of=("self",))
    token = tokens.filter(digest=_digest(request.token)).first()
    if token is None or token.node_name != request.name:
        raise JoinRefusedError("join_token_invalid")
    if token.used_at is not None:
        raise JoinRefusedError("join_token_used")
    if token.expires_at <= now():
        raise JoinRefusedError("join_token_expired")
    token.used_at = now()
    token.save(update_fields=["used_at"])
    return token


def _require_replaceable(node: Node) -> None:
    live = Allocation.objects.filter(node=node, state__in=LIVE)
    if NodeState(node.state) not in REPLACEABLE or live.exists():
        raise NodeInUseError("node_in_use", node=node.name, state=node.state)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
