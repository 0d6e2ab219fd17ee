"""The only writer of quota counters: exact under any concurrency, because rows are locked first.

All rows that a transaction counts against are locked in one statement, in the order of their
time-ordered ids; two transactions can therefore never wait for each other in a circle.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final
from uuid import UUID

import structlog
from django.db import connection, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.inventory.selectors import pool_visible_to
from portal.quotas import selectors
from portal.quotas.counters import QuotaCounters, QuotaUse
from portal.quotas.models import Quota
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to
from scheduler.core.model.reasons import Reason

_LIMITS: Final = ("guarantee", "deserved", "ceiling", "user_ceiling", "weight")

logger = structlog.get_logger(__name__)


class QuotaReservations:
    """Uses that one transaction wants to count, tried one after the other against locked rows.

    All rows that any of them counts against are locked at once, here; nothing is written before
    `write`.
    """

    def __init__(self, wanted: Collection[QuotaUse]) -> None:
        """Lock every row that these uses count against."""
        self._counters = QuotaCounters.lock(wanted)

    def find_refusal(self, use: QuotaUse) -> Reason | None:
        """Say which limit the use would break, of the group, an ancestor or the user."""
        return self._counters.find_refusal(use)

    def reserve(self, use: QuotaUse) -> None:
        """Count a use against the group, all its ancestors and the user."""
        self._counters.count_uses((use,), sign=1)

    def write(self) -> None:
        """Store what was granted."""
        self._counters.save()


def release_quota(uses: Collection[QuotaUse]) -> None:
    """Give back what `Reservations` have counted, all at once: rows are not locked twice."""
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
    pool_id: UUID | None,
    resource: str,
    limits: Mapping[str, int | str | None],
    read_uses: Callable[[], Iterable[QuotaUse]],
) -> Quota:
    """Limit a group for one more resource; what is held already counts from the start.

    Raises:
        ConflictError: the group has such a quota.
    """
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    pool = None if pool_id is None else pool_visible_to(actor, pool_id)
    row = Quota(group=group, pool=pool, resource=resource, **limits)
    _require_order(row)
    with connection.cursor() as cursor:
        # Whoever reserves has looked for rows first, even if there was none: wait for all of them,
        # or what they are about to hold would not be counted.
        cursor.execute("LOCK TABLE quotas_quota IN EXCLUSIVE MODE")
    if Quota.objects.filter(group=group, pool=pool, resource=resource).exists():
        raise ConflictError("quota_exists", group=group.name, resource=resource)
    row.save(force_insert=True)
    recount_quotas(read_uses)
    _note(actor, "quota.add", row, {"after": dict(limits)})
    return row


@transaction.atomic
def remove_quota(*, actor: Actor, quota_id: UUID) -> None:
    """Take a limit away; those of the groups above still hold."""
    seen = selectors.quota_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, seen.group_id, what="quota")
    Quota.objects.filter(pk=quota_id).delete()
    _note(actor, "quota.remove", seen, {"before": {name: getattr(seen, name) for name in _LIMITS}})


@transaction.atomic
def change_quota(*, actor: Actor, quota_id: UUID, changes: Mapping[str, int | str | None]) -> None:
    """Set new limits of a quota row; what runs goes on, and over-use is shown as such."""
    seen = selectors.quota_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, seen.group_id, what="quota")
    row = Quota.objects.filter(pk=quota_id).select_for_update(no_key=True).first()
    if row is None:  # removed at this very moment
        raise NotFoundError("quota")
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    _require_order(row)
    row.save(update_fields=list(changes))
    _note(actor, "quota.change", row, {"before": before, "after": dict(changes)})


def _note(actor: Actor, action: str, row: Quota, params: Mapping[str, object]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="quota",
        object_id=row.pk,
        group_id=row.group_id,
        params={"resource": row.resource, "pool": str(row.pool_id or ""), **params},
    )
    wake_scheduler()


def _require_order(row: Quota) -> None:
    if row.deserved < row.guarantee:
        raise InvalidError("quota_order", pointer="/deserved", min=row.guarantee)
    if row.ceiling is not None and row.ceiling < row.deserved:
        raise InvalidError("quota_order", pointer="/ceiling", min=row.deserved)
