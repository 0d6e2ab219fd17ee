"""The only writer of quota counters: exact under any concurrency, because rows are locked first.

All rows that a transaction counts against are locked in one statement, in the order of their
time-ordered ids; two transactions can therefore never wait for each other in a circle.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError
from portal.common.poke import SCHEDULER, poke
from portal.quotas import selectors
from portal.quotas.models import Quota, UserUse
from portal.tenancy import policies
from portal.tenancy.selectors import paths_for_system
from scheduler.core.reasons import Reason, ReasonCode
from scheduler.core.resources import Resource, Resources

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Use:
    """What one user holds, or is about to hold, in one group and pool."""

    group_id: UUID
    pool_id: UUID
    user_id: UUID
    amount: Resources


def reserve(*, group_id: UUID, pool_id: UUID, user_id: UUID, amount: Resources) -> Reason | None:
    """Count an amount against the group, all its ancestors and the user, or say what is full.

    Runs in the caller's transaction. A returned reason means that nothing was counted.
    """
    use = Use(group_id, pool_id, user_id, amount)
    counters = _lock((use,))
    for row in counters.rows:
        asked = amount.get(Resource(row.resource))
        if asked and (reason := counters.refusal(row, user_id, asked)):
            return reason
    _write(counters, (use,), sign=1)
    return None


def release(*, group_id: UUID, pool_id: UUID, user_id: UUID, amount: Resources) -> None:
    """Give back what `reserve` has counted."""
    release_all((Use(group_id, pool_id, user_id, amount),))


def release_all(uses: Collection[Use]) -> None:
    """Give back several uses at once: one transaction must not lock quota rows twice."""
    if uses:
        _write(_lock(uses), uses, sign=-1)


@transaction.atomic
def recount(read_uses: Callable[[], Iterable[Use]]) -> int:
    """Set every counter to the sum over the live uses; return how many were wrong.

    Nothing can be reserved or released while the rows are locked, so the sums are exact.
    """
    rows = tuple(Quota.objects.select_for_update(no_key=True).order_by("id"))
    uses = tuple(read_uses())
    lines = paths_for_system({use.group_id for use in uses})
    counters = _Counters(rows, lines, _user_rows(rows))
    before = {row.pk: row.used for row in rows}
    for row in rows:
        row.used = 0
    for user_row in counters.user_rows.values():
        user_row.used = 0
    _write(counters, uses, sign=1)
    wrong = sum(before[row.pk] != row.used for row in rows)
    if wrong:
        logger.error("quota.drift", rows=wrong)
    return wrong


@transaction.atomic
def change_limits(*, actor: Actor, quota_id: UUID, changes: Mapping[str, int | None]) -> None:
    """Set new limits of a quota row; what runs goes on, and over-use is shown as such."""
    seen = selectors.one_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, seen.group_id, what="quota")
    row = Quota.objects.select_for_update(no_key=True).get(pk=quota_id)
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    _require_order(row)
    row.save(update_fields=list(changes))
    audit.record(
        actor=actor,
        action="quota.change",
        object_type="quota",
        object_id=row.pk,
        group_id=row.group_id,
        params={"resource": row.resource, "before": before, "after": dict(changes)},
    )
    poke(SCHEDULER)


def _require_order(row: Quota) -> None:
    if row.deserved < row.guarantee:
        raise InvalidError("quota_order", pointer="/deserved", min=row.guarantee)
    if row.ceiling is not None and row.ceiling < row.deserved:
        raise InvalidError("quota_order", pointer="/ceiling", min=row.deserved)


@dataclass(frozen=True, slots=True)
class _Counters:
    """Locked quota rows with the part of each user in them."""

    rows: tuple[Quota, ...]
    lines: Mapping[UUID, tuple[UUID, ...]]
    """Each group with itself and all its ancestors."""
    user_rows: dict[tuple[UUID, UUID], UserUse] = field(default_factory=dict)

    def refusal(self, row: Quota, user_id: UUID, asked: int) -> Reason | None:
        """Say which ceiling of this row the amount would break."""
        if row.ceiling is not None and row.used + asked > row.ceiling:
            return _full(ReasonCode.QUOTA_CEILING, row, row.ceiling, row.used, asked)
        mine = self.user_rows.get((row.pk, user_id))
        held = mine.used if mine else 0
        if row.user_ceiling is not None and held + asked > row.user_ceiling:
            return _full(ReasonCode.QUOTA_USER_CEILING, row, row.user_ceiling, held, asked)
        return None

    def concerns(self, row: Quota, use: Use) -> bool:
        """Tell whether a use counts against this row."""
        return row.group_id in self.lines[use.group_id] and row.pool_id in (None, use.pool_id)


def _lock(uses: Collection[Use]) -> _Counters:
    lines = paths_for_system({use.group_id for use in uses})
    groups = {group_id for line in lines.values() for group_id in line}
    rows = tuple(
        selectors.rows_for_system(groups, {use.pool_id for use in uses})
        .select_related("group", "pool")
        .select_for_update(no_key=True, of=("self",))
        .order_by("id")
    )
    return _Counters(rows, lines, _user_rows(rows, {use.user_id for use in uses}))


def _user_rows(
    rows: Collection[Quota], user_ids: Collection[UUID] | None = None
) -> dict[tuple[UUID, UUID], UserUse]:
    """Read the users' parts; the lock on the quota row covers them."""
    found = UserUse.objects.filter(quota__in=rows)
    if user_ids is not None:
        found = found.filter(user_id__in=user_ids)
    return {(row.quota_id, row.user_id): row for row in found}


def _write(counters: _Counters, uses: Collection[Use], *, sign: int) -> None:
    changes: dict[tuple[UUID, UUID], int] = defaultdict(int)
    for row in counters.rows:
        for use in uses:
            if counters.concerns(row, use):
                changes[row.pk, use.user_id] += sign * use.amount.get(Resource(row.resource))
    by_id = {row.pk: row for row in counters.rows}
    for (quota_id, user_id), change in changes.items():
        _add(by_id[quota_id], change)
        mine = counters.user_rows.setdefault(
            (quota_id, user_id), UserUse(quota_id=quota_id, user_id=user_id)
        )
        _add(mine, change)
    Quota.objects.bulk_update(counters.rows, ["used"])
    UserUse.objects.bulk_create(
        # Without their keys, so that an existing row meets the pair's own constraint.
        (
            UserUse(quota_id=row.quota_id, user_id=row.user_id, used=row.used)
            for row in counters.user_rows.values()
        ),
        update_conflicts=True,
        update_fields=["used"],
        unique_fields=["quota", "user"],
    )


def _add(row: Quota | UserUse, change: int) -> None:
    """Change a counter; a row that was made after the use began is kept from going negative."""
    if row.used + change < 0:
        logger.error("quota.drift", row=str(row.pk), used=row.used, change=change)
    row.used = max(row.used + change, 0)


def _full(code: ReasonCode, row: Quota, limit: int, used: int, asked: int) -> Reason:
    return Reason(
        code,
        {
            "group": row.group.name,
            "pool": row.pool.name if row.pool else "",
            "resource": row.resource,
            "limit": limit,
            "used": used,
            "requested": asked,
        },
    )
