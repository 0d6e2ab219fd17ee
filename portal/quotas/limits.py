"""Budgets and counted limits: what administrators set beside the quotas themselves."""

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory.selectors import pool_visible_to
from portal.quotas.models import Budget, GroupLimit
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, groups_visible_to


def budgets_visible_to(actor: Actor, group_id: UUID | None = None) -> "QuerySet[Budget]":
    """Return the budgets of the actor's groups."""
    visible = policies.visible_group_ids(actor)
    rows = Budget.objects.select_related("group", "pool")
    if visible is not None:
        rows = rows.filter(group__in=visible)
    if group_id is not None:
        rows = rows.filter(group=group_id)
    return rows.order_by("group__name", "period", "id")


@transaction.atomic
def set_budget(
    *, actor: Actor, group_id: UUID, pool_id: UUID | None, period: str, gpu_hours: int
) -> Budget:
    """Give a group a budget, or change the one that it has for this pool and period."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    pool = None if pool_id is None else pool_visible_to(actor, pool_id)
    row, _ = Budget.objects.update_or_create(
        group=group, pool=pool, period=period, defaults={"gpu_hours": gpu_hours}
    )
    _note(actor, "budget.set", row)
    return row


@transaction.atomic
def remove_budget(*, actor: Actor, budget_id: UUID) -> None:
    """Let a group use what its quotas allow again."""
    row = budgets_visible_to(actor).filter(pk=budget_id).first()
    if row is None:
        raise NotFoundError("budget")
    policies.require(actor, Action.QUOTA_EDIT, row.group_id, what="budget")
    _note(actor, "budget.remove", row)
    row.delete()


def _note(actor: Actor, action: str, row: Budget) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="budget",
        object_id=row.pk,
        group_id=row.group_id,
        params={
            "pool": str(row.pool_id or ""),
            "period": row.period,
            "gpu_hours": row.gpu_hours,
        },
    )
    wake_scheduler()


def group_limit_visible_to(actor: Actor, group_id: UUID) -> GroupLimit:
    """Return the counted limits of a visible group; unsaved defaults where none were set."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_VIEW, group.pk)
    return GroupLimit.objects.filter(group=group).first() or GroupLimit(group=group)


def group_limits_visible_to(actor: Actor) -> list[GroupLimit]:
    """Return the counted limits of every visible group; unsaved defaults where none were set."""
    groups = groups_visible_to(actor).order_by("name")
    found = {row.group_id: row for row in GroupLimit.objects.select_related("group")}
    return [found.get(group.pk) or GroupLimit(group=group) for group in groups]


@transaction.atomic
def change_group_limit(
    *, actor: Actor, group_id: UUID, changes: Mapping[str, int | None]
) -> GroupLimit:
    """Set counted limits of a group; what waits and runs stays."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    row, _ = GroupLimit.objects.update_or_create(group=group, defaults=dict(changes))
    audit.record_event(
        actor=actor,
        action="group.limits",
        object_type="group",
        object_id=group.pk,
        group_id=group.pk,
        params=dict(changes),
    )
    wake_scheduler()
    return row
