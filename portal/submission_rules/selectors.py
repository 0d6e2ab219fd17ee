"""Reads of submission rules."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Q

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.model_rows import ModelRows
from portal.inventory.selectors import pool_visible_to
from portal.submission_rules.models import SubmissionRules
from portal.submission_rules.owners import RulesOwner, columns_of
from portal.submission_rules.terms import RuleScope, RulesInForce, RuleSource, RuleTerms
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.tenancy.selectors import group_visible_to

NO_RULES: Final = RulesInForce()
_ROWS: Final = ModelRows(SubmissionRules, "rules")
# Written out, because every submission asks it.
_IN_FORCE: Final = _ROWS.fill(
    """
WITH RECURSIVE path AS (
    SELECT id, parent_id, name, title_en, title_zh, 0 AS depth FROM tenancy_group
    WHERE GROUP_COLUMN = %(group)s
    UNION ALL
    SELECT above.id, above.parent_id, above.name, above.title_en, above.title_zh, path.depth + 1
    FROM tenancy_group above JOIN path ON above.id = path.parent_id
), place AS (
    SELECT id, name, title_en, title_zh FROM inventory_pool
    WHERE POOL_COLUMN = %(pool)s ORDER BY is_open DESC, name LIMIT 1
)
SELECT {rules}, coalesce(path.id, place.id), coalesce(path.name, place.name),
    coalesce(path.title_en, place.title_en), coalesce(path.title_zh, place.title_zh),
    (SELECT id FROM path WHERE depth = 0)
FROM submission_rules_submissionrules rules
LEFT JOIN path ON path.id = rules.group_id
LEFT JOIN place ON place.id = rules.pool_id
WHERE rules.kind = %(kind)s AND (path.id IS NOT NULL OR place.id IS NOT NULL)
ORDER BY path.depth DESC NULLS FIRST
"""
)
_STATEMENTS: Final = {
    (of_group, of_pool): _IN_FORCE.replace("GROUP_COLUMN", of_group).replace("POOL_COLUMN", of_pool)
    for of_group, of_pool in product(("id", "name"), ("id", "name", "purpose"))
}


def rules_visible_to(
    actor: Actor, scope: RuleScope, owner_id: UUID, kind: str
) -> tuple[RulesOwner, SubmissionRules | None]:
    """Return a group or pool with its rules for this kind of work.

    Raises:
        NotFoundError: the actor may not see it.
    """
    owner = owner_visible_to(actor, scope, owner_id)
    rows = SubmissionRules.objects.select_related("changed_by")
    return owner, rows.filter(kind=kind, **columns_of(owner)).first()


def owner_visible_to(actor: Actor, scope: RuleScope, owner_id: UUID) -> RulesOwner:
    """Return the group or pool; raises `NotFoundError` for one that the actor may not see."""
    if scope is RuleScope.GROUP:
        return group_visible_to(actor, owner_id)
    return pool_visible_to(actor, owner_id)


def may_change(actor: Actor, owner: RulesOwner) -> bool:
    """Return whether the actor may change the rules of a group or pool that it sees."""
    if isinstance(owner, Group):
        return policies.can(actor, Action.SUBMISSION_RULES_EDIT, owner.pk)
    return policies.can(actor, Action.POOL_MANAGE, None)


def ruled_images_for_system() -> frozenset[str]:
    """Return the names and ids of images that any rule gives or allows."""
    rows = SubmissionRules.objects.filter(
        Q(defaults__has_key="image") | Q(choices__has_key="image")
    )
    found = rows.values_list("defaults__image", "choices__image")
    return frozenset(
        str(name) for default, choices in found for name in (default, *(choices or ())) if name
    )


def rules_in_force_for_system(
    kind: str, *, group: str, pool: str, purpose: str = ""
) -> RulesInForce:
    """Return the rules for such work in a group and pool, by name or id (one query).

    Without a pool they are those of the one that serves the purpose. An unknown group or pool has
    none.
    """
    return _read(kind, group, pool, purpose)[0]


def rules_in_force_visible_to(
    actor: Actor, kind: str, *, group: str, pool: str, purpose: str = ""
) -> RulesInForce:
    """Return the same for an actor; there are none for a group that the actor may not see."""
    rules, group_id = _read(kind, group, pool, purpose)
    is_visible = group_id is not None and policies.can_see_group(actor, group_id)
    return rules if is_visible else NO_RULES


def _read(kind: str, group: str, pool: str, purpose: str) -> tuple[RulesInForce, UUID | None]:
    """Return the rules and the group, which is None where there are no rules."""
    of_group, group_value = _id_or_name(group)
    of_pool, pool_value = _id_or_name(pool) if pool else ("purpose", purpose)
    asked = {"kind": kind, "group": group_value, "pool": pool_value}
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[of_group, of_pool], asked)
        found = cursor.fetchall()
    rows = tuple(map(_build, found))
    return RulesInForce(rows), found[0][-1] if found else None


def _build(values: Sequence[Any]) -> tuple[RuleSource, RuleTerms]:
    row = _ROWS.build(values[: _ROWS.width])
    scope = RuleScope.GROUP if row.group_id else RuleScope.POOL
    return RuleSource(scope, *values[_ROWS.width : -1]), RuleTerms.of(row)


def _id_or_name(reference: str) -> tuple[str, UUID | str]:
    try:
        return "id", UUID(reference)
    except ValueError:
        return "name", reference
