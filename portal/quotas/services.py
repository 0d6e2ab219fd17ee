"""Quotas: counting use against them, and changing their limits. The only writer of the counters.

Counts are exact under any concurrency: all rows that a transaction counts against are locked first,
in one statement and in the order of their ids, so that two transactions never deadlock.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from django.db import connection, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory.gpu_models import model_name
from portal.inventory.selectors import pool_visible_to
from portal.quotas import selectors
from portal.quotas.counters import QuotaCounters, QuotaUse
from portal.quotas.models import Quota
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to
from scheduler.core.model.reasons import Reason
from scheduler.core.model.resources import Resource


@dataclass(frozen=True, slots=True)
class QuotaSubject:
    """What a quota limits."""

    pool_id: UUID | None
    """None is all pools together."""
    resource: str
    model: str = ""
    """Only GPUs of this model; empty is all."""


_LIMITS: Final = ("guarantee", "deserved", "ceiling", "user_ceiling", "weight")

logger = structlog.get_logger(__name__)


class QuotaReservations:
    """Uses that one transaction counts, checked one by one against locked quotas.

    The constructor locks all rows that any use counts against; `write` stores the new counts.
    """

    def __init__(self, uses: Collection[QuotaUse]) -> None:
        """Lock every row that these uses count against."""
        self._counters = QuotaCounters.lock(uses)

    def find_refusal(self, use: QuotaUse) -> Reason | None:
        """Return which limit the use would exceed: of the group, an ancestor or the user."""
        return self._counters.find_refusal(use)

    def reserve(self, use: QuotaUse) -> None:
        """Count a use against the group, all its ancestors and the user."""
        self._counters.count_uses((use,), sign=1)

    def write(self) -> None:
        """Store the new counts."""
        self._counters.save()


def release_quota(uses: Collection[QuotaUse]) -> None:
    """Subtract uses that `QuotaReservations` have counted."""
    if uses:
        counters = QuotaCounters.lock(uses)
        counters.count_uses(uses, sign=-1)
        counters.save()


@transaction.atomic
def recount_quotas(read_uses: Callable[[], Iterable[QuotaUse]]) -> int:
    """Set every counter to the sum over the live uses; return how many were wrong.

    Nothing can be reserved or released while the rows are locked, so the sums are exact.
    """
    counters = QuotaCounters.lock_all()
    before = {row.id: row.used for row in counters.rows}
    uses = tuple(read_uses())
    counters.clear_counts()
    counters.count_uses(uses, sign=1)
    counters.save()
    wrong = sum(before[row.id] != row.used for row in counters.rows)
    if wrong:
        logger.error("quota.drift", rows=wrong)
    return wrong


@transaction.atomic
def add_quota(
    *,
    actor: Actor,
    group_id: UUID,
    what: QuotaSubject,
    limits: Mapping[str, int | str | None],
    read_uses: Callable[[], Iterable[QuotaUse]],
) -> Quota:
    """Limit a group for one more resource; what it holds counts from the start.

    Raises:
        ConflictError: the group has such a quota.
    """
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    pool = None if what.pool_id is None else pool_visible_to(actor, what.pool_id)
    resource, model = what.resource, model_name(what.model)
    row = Quota(group=group, pool=pool, resource=resource, model=model, **limits)
    _require_order(row)
    with connection.cursor() as cursor:
        # A transaction that is about to reserve has already read which quotas exist; without waiting
        # for all of these, what they reserve would not be counted here.
        cursor.execute("LOCK TABLE quotas_quota IN EXCLUSIVE MODE")
    if Quota.objects.filter(group=group, pool=pool, resource=resource, model=model).exists():
        raise ConflictError("quota_exists", group=group.name, resource=resource)
    row.save(force_insert=True)
    recount_quotas(read_uses)
    _audit(actor, "quota.add", row, {"after": dict(limits)})
    return row


@transaction.atomic
def remove_quota(*, actor: Actor, quota_id: UUID) -> None:
    """Remove a quota; those of the groups above remain."""
    quota = selectors.quota_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, quota.group_id, what="quota")
    Quota.objects.filter(pk=quota_id).delete()
    _audit(
        actor, "quota.remove", quota, {"before": {name: getattr(quota, name) for name in _LIMITS}}
    )


@transaction.atomic
def change_quota(*, actor: Actor, quota_id: UUID, changes: Mapping[str, int | str | None]) -> None:
    """Set new limits of a quota; running work goes on, also above the new limits."""
    quota = selectors.quota_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, quota.group_id, what="quota")
    _change(actor, quota_id, changes)


@transaction.atomic
def raise_ceiling(*, actor: Actor, quota_id: UUID, ceiling: int) -> None:
    """Raise a ceiling for an actor whose right `portal.quotas.delegation` has checked."""
    _change(actor, quota_id, {"ceiling": ceiling})


def _change(actor: Actor, quota_id: UUID, changes: Mapping[str, int | str | None]) -> None:
    row = Quota.objects.filter(pk=quota_id).select_for_update(no_key=True).first()
    if row is None:  # removed at this very moment
        raise NotFoundError("quota")
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    _require_order(row)
    row.save(update_fields=list(changes))
    _audit(actor, "quota.change", row, {"before": before, "after": dict(changes)})


def _audit(actor: Actor, action: str, row: Quota, params: Mapping[str, object]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="quota",
        object_id=row.pk,
        group_id=row.group_id,
        params={
            "resource": row.resource,
            "pool": str(row.pool_id or ""),
            "model": row.model,
            **params,
        },
    )
    wake_scheduler()


def _require_order(row: Quota) -> None:
    if row.model and row.resource != Resource.GPU:
        raise InvalidError("quota_of_model_counts_gpus", pointer="/resource")
    if row.model and (row.guarantee or row.deserved):
        raise InvalidError("quota_of_model_promises_nothing", pointer="/deserved")
    if row.deserved < row.guarantee:
        raise InvalidError("quota_order", pointer="/deserved", min=row.guarantee)
    if row.ceiling is not None and row.ceiling < row.deserved:
        raise InvalidError("quota_order", pointer="/ceiling", min=row.deserved)
