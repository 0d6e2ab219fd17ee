"""Budgets: the GPU-hours that a group may use in each day, week or month."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory.selectors import pool_visible_to
from portal.quotas.models import Budget
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to


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
    _audit(actor, "budget.set", row)
    return row


@transaction.atomic
def remove_budget(*, actor: Actor, budget_id: UUID) -> None:
    """Remove a budget; only the quotas of the group still limit it."""
    row = budgets_visible_to(actor).filter(pk=budget_id).first()
    if row is None:
        raise NotFoundError("budget")
    policies.require(actor, Action.QUOTA_EDIT, row.group_id, what="budget")
    _audit(actor, "budget.remove", row)
    row.delete()


def _audit(actor: Actor, action: str, row: Budget) -> None:
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
