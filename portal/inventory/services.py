"""Creating pools, setting their policies and taking that back, and issuing join tokens for nodes.

Changing pools that hold work is in `portal.workloads.operations.pools`, operating nodes in
`portal.workloads.operations.nodes`; what nodes report arrives through `portal.agentlink`.
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.audit.versions import POLICY, require_version
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.common.errors import ConflictError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory import cuts
from portal.inventory.models import JoinToken, PolicyChange, Pool
from portal.inventory.policy import (
    RuleChange,
    require_valid_policy,
    rules_of,
    with_defaults,
    with_rules,
)
from portal.tenancy import policies

JOIN_TOKEN_LIFE = timedelta(minutes=15)
"""How long a node may take to join with its token."""


@dataclass(frozen=True, slots=True)
class IssuedJoinToken:
    """A new join token with its secret, of which only a digest is stored."""

    row: JoinToken
    secret: str


@transaction.atomic
def create_pool(*, actor: Actor, pool: Pool) -> Pool:
    """Create a pool without nodes.

    Raises:
        InvalidError: its mode, slices and time limits contradict each other.
        ConflictError: another pool has its name.
    """
    policies.require(actor, Action.POOL_MANAGE, None)
    cuts.require_valid_pool(pool)
    pool.policy = _without_defaults(pool.policy)
    try:
        with transaction.atomic():
            pool.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("pool_name_taken", name=pool.name) from error
    audit.record_event(
        actor=actor,
        action="pool.create",
        object_type="pool",
        object_id=pool.pk,
        params={
            "name": pool.name,
            "mode": pool.mode,
            "slices": pool.slices_per_card,
            "policy": pool.policy,
        },
    )
    wake_scheduler()
    return pool


@transaction.atomic
def set_policy(
    *,
    actor: Actor,
    pool_id: UUID,
    policy: Mapping[str, Any],
    reason: str = "",
    version: int | None = None,
) -> None:
    """Replace the policy of a pool; only what differs from the defaults is stored.

    Raises:
        ConflictError: `version`, which the caller saw, is not the present one.
    """
    policies.require(actor, Action.POOL_MANAGE, None)
    pool = _lock_pool(pool_id)
    if rules_of(policy) == rules_of(pool.policy):
        return
    require_version(POLICY, pool.pk, version)
    _save_policy(actor, pool, policy, reason)


@transaction.atomic
def undo_policy_change(
    *, actor: Actor, pool_id: UUID, change_id: UUID, reason: str = ""
) -> PolicyChange:
    """Put back what a change of the policy of a pool has changed, as a new change.

    Raises:
        ConflictError: some of these rules were changed again since.
        InvalidError: the rules that would come back contradict others that were changed since.
    """
    policies.require(actor, Action.POOL_MANAGE, None)
    pool = _lock_pool(pool_id)
    undone = PolicyChange.objects.filter(pool=pool, pk=change_id).first()
    if undone is None:
        raise NotFoundError("policy_change")
    present = rules_of(pool.policy)
    again = [
        rule
        for rule in undone.rules
        if rule["pointer"] not in present or present[rule["pointer"]] != rule["after"]
    ]
    if again:
        since = PolicyChange.objects.filter(pool=pool).latest("id")
        raise ConflictError(
            "policy_changed_again",
            rules=len(again),
            who=since.actor_name,
            changed_at=to_millis(since.created_at),
        )
    policy = with_rules(pool.policy, {rule["pointer"]: rule["before"] for rule in undone.rules})
    return _save_policy(actor, pool, policy, reason, undoes=undone)


def _lock_pool(pool_id: UUID) -> Pool:
    pool = Pool.objects.filter(pk=pool_id).select_for_update(no_key=True).first()
    if pool is None:
        raise NotFoundError("pool")
    return pool


def _save_policy(
    actor: Actor,
    pool: Pool,
    policy: Mapping[str, Any],
    reason: str,
    *,
    undoes: PolicyChange | None = None,
) -> PolicyChange:
    """Save the complete policy of a locked pool, with what it changes."""
    others = set(Pool.objects.exclude(pk=pool.pk).values_list("name", flat=True))
    require_valid_policy(policy, others)
    before, pool.policy = pool.policy, _without_defaults(policy)
    pool.save(update_fields=["policy"])
    then = rules_of(before)
    change = PolicyChange.objects.create(
        pool=pool,
        actor_id=actor.user_id,
        actor_name=actor.name,
        reason=reason,
        undoes=undoes,
        rules=[
            RuleChange(pointer=pointer, before=then[pointer], after=value)
            for pointer, value in rules_of(pool.policy).items()
            if value != then[pointer]
        ],
    )
    params = {"name": pool.name, "before": before, "after": pool.policy}
    audit.record_event(
        actor=actor,
        action="pool.policy",
        object_type="pool",
        object_id=pool.pk,
        params=params | ({"reason": reason} if reason else {}),
    )
    wake_scheduler()
    return change


def _without_defaults(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a policy that differ from the product's defaults."""
    defaults = with_defaults({})
    return {name: value for name, value in policy.items() if value != defaults[name]}


@transaction.atomic
def create_join_token(*, actor: Actor, node_name: str, pool: Pool) -> IssuedJoinToken:
    """Issue a token with which one named node may join a pool: once, within 15 minutes."""
    policies.require(actor, Action.NODE_MANAGE, None)
    secret = f"berthjoin_{secrets.token_urlsafe(32)}"
    row = JoinToken.objects.create(
        digest=hashlib.sha256(secret.encode()).hexdigest(),
        node_name=node_name,
        pool=pool,
        expires_at=now() + JOIN_TOKEN_LIFE,
        created_by_id=actor.user_id,
    )
    audit.record_event(
        actor=actor,
        action="node.invite",
        object_type="node",
        object_id=row.pk,
        params={"name": node_name, "pool": pool.name},
    )
    return IssuedJoinToken(row, secret)
