"""Budgets: the GPU-hours or the money that a group may use in each day, week or month.

What budgets of money have spent is counted by the meter, which is above this app and says so here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.db.models import Min, Q, QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory.selectors import pool_visible_to
from portal.quotas.models import Budget, BudgetSpending
from portal.quotas.prices import format_micros
from portal.site.selectors import settings_for_system
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, paths_for_system


class Spending(NamedTuple):
    """What one budget has spent in the period that begins on a day."""

    budget_id: UUID
    first_day: date
    cost: int
    """In the unit of `BudgetSpending.cost`."""
    unpriced: list[str]


class BudgetAmount(NamedTuple):
    """How much a budget is: of GPU-hours or of money, in millionths, the other is None."""

    gpu_hours: int | None
    money_micros: int | None


@dataclass(frozen=True, slots=True)
class BudgetStatus:
    """A budget with its use in the present period: in GPU-seconds, or millionths of its currency."""

    budget: Budget
    used: int
    """Of money what the meter has counted, rounded as in usage reports."""
    promised: int
    """What running work may still use until its time limit or the end of the period."""
    ends_at: datetime
    counted_until: datetime | None = None
    """Of money: up to when the meter has counted; None before it has."""
    unpriced: Sequence[str] = ()
    """Of money: models that were used, or may be, without a price."""


def budgets_visible_to(actor: Actor, group_id: UUID | None = None) -> "QuerySet[Budget]":
    """Return the budgets of the actor's groups."""
    visible = policies.visible_group_ids(actor)
    rows = Budget.objects.select_related("group", "pool", "spending")
    if visible is not None:
        rows = rows.filter(group__in=visible)
    if group_id is not None:
        rows = rows.filter(group=group_id)
    return rows.order_by("group__name", "period", "id")


def spending_of(row: Budget, first_day: date) -> BudgetSpending | None:
    """Return what the meter has counted of the period that begins on a day; None before its first."""
    try:
        counted = row.spending
    except ObjectDoesNotExist:
        return None
    return counted if counted.first_day == first_day else None


@transaction.atomic
def set_budget(
    *, actor: Actor, group_id: UUID, pool_id: UUID | None, period: str, amount: BudgetAmount
) -> Budget:
    """Give a group a budget, or change the one that it has for this pool and period.

    Admins of a group set one beside that of staff, and not above it: both hold. Money is in the currency
    of the site. One that has changed its currency is counted from then on.

    Raises:
        InvalidError: it is not exactly one of GPU-hours and money, or above what staff has set.
    """
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.BUDGET_EDIT, group.pk)
    by_group = not policies.can(actor, Action.QUOTA_EDIT, None)
    pool = None if pool_id is None else pool_visible_to(actor, pool_id)
    if (amount.gpu_hours is None) == (amount.money_micros is None):
        raise InvalidError("budget_unit", pointer="/gpu_hours")
    currency = "" if amount.money_micros is None else settings_for_system().currency
    place: dict[str, Any] = {"group": group, "pool": pool, "period": period, "by_group": by_group}
    if by_group:
        _require_within_staffs(Budget(**place, **amount._asdict(), currency=currency))
    BudgetSpending.objects.filter(
        budget__in=Budget.objects.filter(**place).exclude(currency=currency)
    ).delete()
    row, _ = Budget.objects.update_or_create(
        **place, defaults={**amount._asdict(), "currency": currency}
    )
    _audit(actor, "budget.set", row)
    return row


@transaction.atomic
def remove_budget(*, actor: Actor, budget_id: UUID) -> None:
    """Remove a budget; admins of a group only what such admins have set."""
    row = budgets_visible_to(actor).filter(pk=budget_id).first()
    if row is None:
        raise NotFoundError("budget")
    needed = Action.BUDGET_EDIT if row.by_group else Action.QUOTA_EDIT
    policies.require(actor, needed, row.group_id, what="budget")
    _audit(actor, "budget.remove", row)
    row.delete()


def save_spending(counted: Sequence[Spending], until: datetime) -> None:
    """Save what budgets of money have spent, as the meter has counted it up to a moment."""
    BudgetSpending.objects.bulk_create(
        [BudgetSpending(**each._asdict(), counted_until=until) for each in counted],
        update_conflicts=True,
        unique_fields=["budget"],
        update_fields=["first_day", "counted_until", "cost", "unpriced"],
    )


def _require_within_staffs(wanted: Budget) -> None:
    """Refuse more than staff lets the group, or one above it, use of this pool in the same period and unit."""
    path = paths_for_system([wanted.group_id])[wanted.group_id]
    by_staff = Budget.objects.filter(
        Q(pool=None) | Q(pool=wanted.pool_id),
        group__in=path,
        period=wanted.period,
        currency=wanted.currency,
        by_group=False,
    )
    unit = "gpu_hours" if wanted.money_micros is None else "money_micros"
    most = by_staff.aggregate(most=Min(unit))["most"]
    if most is not None and getattr(wanted, unit) > most:
        shown = most if unit == "gpu_hours" else f"{format_micros(most)} {wanted.currency}"
        raise InvalidError(f"budget_above_staffs_{unit}", pointer=f"/{unit}", max=shown)


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
            "by_group": row.by_group,
            **_amount_of(row),
        },
    )
    wake_scheduler()


def _amount_of(row: Budget) -> dict[str, int | str | None]:
    if row.money_micros is None:
        return {"gpu_hours": row.gpu_hours}
    return {"money": format_micros(row.money_micros), "currency": row.currency}
