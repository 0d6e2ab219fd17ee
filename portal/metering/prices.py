"""Prices of GPUs by model: from which day on, in which currency; no month that is over changes."""

from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.metering.budget_spending import count_spending
from portal.quotas.models import GpuPrice
from portal.quotas.prices import format_micros
from portal.site.selectors import settings_for_system
from portal.tenancy import policies

PRICES_MAX: Final = 1000
"""Prices of all models and times."""
HOURLY_MICROS_MAX: Final = 10**12
"""A million of the currency for an hour of a GPU, in millionths."""


@dataclass(frozen=True, slots=True)
class PricedTime:
    """A price with the day on which the next one of its model begins; None is no end."""

    price: GpuPrice
    valid_until: date | None
    may_remove: bool = False


def list_prices_for_system() -> list[PricedTime]:
    """Return all prices by model and time; everyone may see what an hour costs."""
    rows = list(GpuPrice.objects.order_by("model", "valid_from")[:PRICES_MAX])
    month = open_month()
    return [
        PricedTime(
            row,
            after.valid_from if after is not None and after.model == row.model else None,
            row.valid_from >= month,
        )
        for row, after in zip_longest(rows, rows[1:])
    ]


def open_month() -> date:
    """Return the first day of the present month of the site: earlier prices are fixed."""
    return settings_for_system().days.day_of(now()).replace(day=1)


@transaction.atomic
def set_price(*, actor: Actor, model: str, valid_from: date, hourly_micros: int) -> GpuPrice:
    """Set what an hour of a model costs from a day on, in the currency of the site.

    Raises:
        InvalidError: the day is in a month that is over.
        ConflictError: the model has a price from that day on already; it must be removed first.
    """
    policies.require(actor, Action.PRICE_MANAGE, None)
    if valid_from < open_month():
        raise InvalidError(
            "price_in_closed_month", pointer="/valid_from", first=open_month().isoformat()
        )
    if GpuPrice.objects.count() >= PRICES_MAX:
        raise ExhaustedError("prices_too_many", max=PRICES_MAX)
    currency = settings_for_system().currency
    try:
        with transaction.atomic():
            row = GpuPrice.objects.create(
                model=model, valid_from=valid_from, hourly_micros=hourly_micros, currency=currency
            )
    except IntegrityError as error:
        day = valid_from.isoformat()
        raise ConflictError("price_exists", model=model, day=day) from error
    _record(actor, "price.set", row)
    count_spending()
    return row


@transaction.atomic
def remove_price(*, actor: Actor, price_id: UUID) -> None:
    """Remove a price that no month that is over has used.

    Raises:
        ConflictError: it began in a month that is over; set a new one from a later day on.
    """
    policies.require(actor, Action.PRICE_MANAGE, None)
    row = GpuPrice.objects.filter(pk=price_id).first()
    if row is None:
        raise NotFoundError("price")
    if row.valid_from < open_month():
        raise ConflictError("price_was_used", day=row.valid_from.isoformat())
    _record(actor, "price.remove", row)
    row.delete()
    count_spending()


def _record(actor: Actor, action: str, row: GpuPrice) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="price",
        object_id=row.pk,
        params={
            "model": row.model,
            "valid_from": row.valid_from.isoformat(),
            "hourly": format_micros(row.hourly_micros),
            "currency": row.currency,
        },
    )
