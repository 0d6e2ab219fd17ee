"""Writes of submission rules. What they say was validated by the endpoint of their kind."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, NotFoundError, changed_by_another
from portal.inventory.models import Pool
from portal.submission_rules.models import SubmissionRules
from portal.submission_rules.owners import RulesOwner, columns_of
from portal.submission_rules.terms import RuleScope, RuleTerms
from portal.tenancy import policies
from portal.tenancy.models import Group


@transaction.atomic
def set_rules(
    *,
    actor: Actor,
    kind: str,
    scope: RuleScope,
    owner_id: UUID,
    terms: RuleTerms,
    version: int | None = None,
) -> None:
    """Replace what a group or pool says about a kind of work; the log keeps what it said before.

    Work that was submitted is not touched. Terms that say nothing remove the rules.

    Raises:
        NotFoundError: the actor may not see the group, or there is no such pool.
        DeniedError: the actor may not change its rules.
        ConflictError: `version`, 0 for none, is not the present one.
    """
    owner = _lock_owner(actor, scope, owner_id)
    row = SubmissionRules.objects.filter(kind=kind, **columns_of(owner)).first()
    _require_version(row, version)
    before = RuleTerms.of(row) if row else RuleTerms()
    if before == terms:
        return
    if terms == RuleTerms():
        SubmissionRules.objects.filter(kind=kind, **columns_of(owner)).delete()
    else:
        row = row or SubmissionRules(kind=kind, version=0, **columns_of(owner))
        for name, value in _stored(terms).items():
            setattr(row, name, value)
        row.version += 1
        row.changed_at = now()
        row.changed_by_id = actor.user_id
        row.save()
    audit.record_event(
        actor=actor,
        action="submission_rules.change",
        object_type=scope.value,
        object_id=owner.pk,
        group_id=owner.pk if scope is RuleScope.GROUP else None,
        params={
            "name": owner.name,
            "kind": kind,
            "before": _stored(before),
            "after": _stored(terms),
        },
    )


def _lock_owner(actor: Actor, scope: RuleScope, owner_id: UUID) -> RulesOwner:
    """Return the owner; changes of its rules wait for each other at its lock."""
    if scope is RuleScope.GROUP:
        policies.require(actor, Action.SUBMISSION_RULES_EDIT, owner_id)
        group = Group.objects.select_for_update(no_key=True).filter(pk=owner_id).first()
        if group is None:
            raise NotFoundError("group")
        return group
    policies.require(actor, Action.POOL_MANAGE, None)
    pool = Pool.objects.select_for_update(no_key=True).filter(pk=owner_id).first()
    if pool is None:
        raise NotFoundError("pool")
    return pool


def _require_version(row: SubmissionRules | None, version: int | None) -> None:
    if version is None or version == (row.version if row else 0):
        return
    if row is None:
        raise ConflictError("changed_meanwhile", state="")
    who = row.changed_by.username if row.changed_by else None
    raise changed_by_another(who, row.changed_at)


def _stored(terms: RuleTerms) -> dict[str, Any]:
    """Return the terms as the table has them."""
    return asdict(terms)
