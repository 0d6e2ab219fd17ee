"""The only writer of quota counters: exact under any concurrency, because rows are locked first.

All rows that a transaction counts against are locked in one statement, in the order of their
time-ordered ids; two transactions can therefore never wait for each other in a circle.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import structlog
from django.db import connection, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, InvalidError
from portal.common.poke import SCHEDULER, poke
from portal.inventory.selectors import pool_by_id
from portal.quotas import selectors
from portal.quotas.models import Quota, UserUse
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, paths_for_system
from scheduler.core.reasons import Reason, ReasonCode
from scheduler.core.resources import Resource, Resources

_SET_USED: Final = """
UPDATE quotas_quota SET used = given.used
FROM unnest(%s::uuid[], %s::bigint[]) AS given (id, used) WHERE quotas_quota.id = given.id
"""

_LIMITS: Final = ("guarantee", "deserved", "ceiling", "user_ceiling", "weight")

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Use:
    """What one user holds, or is about to hold, in one group and pool."""

    group_id: UUID
    pool_id: UUID
    user_id: UUID
    amount: Resources


class Reservations:
    """Uses that one transaction wants to count, tried one after the other against locked rows.

    All rows that any of them counts against are locked at once, here; nothing is written before
    `write`.
    """

    def __init__(self, wanted: Collection[Use]) -> None:
        """Lock every row that these uses count against."""
        self._counters = _lock(wanted)

    def refusal(self, use: Use) -> Reason | None:
        """Say which limit the use would break, of the group, an ancestor or the user."""
        for row, amount in self._counters.asked(use):
            if reason := self._counters.refusal(row, use.user_id, amount):
                return reason
        return None

    def reserve(self, use: Use) -> None:
        """Count a use against the group, all its ancestors and the user."""
        for row, amount in self._counters.asked(use):
            self._counters.add(row, use.user_id, amount)

    def write(self) -> None:
        """Store what was granted."""
        self._counters.save()


def release_all(uses: Collection[Use]) -> None:
    """Give back what `Reservations` have counted, all at once: rows are not locked twice."""
    if uses:
        counters = _lock(uses)
        counters.count(uses, sign=-1)
        counters.save()


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
    counters.clear()
    counters.count(uses, sign=1)
    counters.save()
    wrong = sum(before[row.pk] != row.used for row in rows)
    if wrong:
        logger.error("quota.drift", rows=wrong)
    return wrong


@transaction.atomic
def add(
    *,
    actor: Actor,
    group_id: UUID,
    pool_id: UUID | None,
    resource: str,
    limits: Mapping[str, int | str | None],
    read_uses: Callable[[], Iterable[Use]],
) -> Quota:
    """Limit a group for one more resource; what is held already counts from the start.

    Raises:
        ConflictError: the group has such a quota.
    """
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    pool = None if pool_id is None else pool_by_id(pool_id)
    row = Quota(group=group, pool=pool, resource=resource, **limits)
    _require_order(row)
    with connection.cursor() as cursor:
        # Whoever reserves has looked for rows first, even if there was none: wait for all of them,
        # or what they are about to hold would not be counted.
        cursor.execute("LOCK TABLE quotas_quota IN EXCLUSIVE MODE")
    if Quota.objects.filter(group=group, pool=pool, resource=resource).exists():
        raise ConflictError("quota_exists", group=group.name, resource=resource)
    row.save(force_insert=True)
    recount(read_uses)
    _note(actor, "quota.add", row, {"after": dict(limits)})
    return row


@transaction.atomic
def remove(*, actor: Actor, quota_id: UUID) -> None:
    """Take a limit away; those of the groups above still hold."""
    seen = selectors.one_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, seen.group_id, what="quota")
    Quota.objects.filter(pk=quota_id).delete()
    _note(actor, "quota.remove", seen, {"before": {name: getattr(seen, name) for name in _LIMITS}})


@transaction.atomic
def change_limits(*, actor: Actor, quota_id: UUID, changes: Mapping[str, int | str | None]) -> None:
    """Set new limits of a quota row; what runs goes on, and over-use is shown as such."""
    seen = selectors.one_visible_to(actor, quota_id)
    policies.require(actor, Action.QUOTA_EDIT, seen.group_id, what="quota")
    row = Quota.objects.select_for_update(no_key=True).get(pk=quota_id)
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    _require_order(row)
    row.save(update_fields=list(changes))
    _note(actor, "quota.change", row, {"before": before, "after": dict(changes)})


def _note(actor: Actor, action: str, row: Quota, params: Mapping[str, object]) -> None:
    audit.record(
        actor=actor,
        action=action,
        object_type="quota",
        object_id=row.pk,
        group_id=row.group_id,
        params={"resource": row.resource, "pool": str(row.pool_id or ""), **params},
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
    changed: dict[UUID, Quota] = field(default_factory=dict)
    changed_users: set[tuple[UUID, UUID]] = field(default_factory=set)
    _of_group: dict[UUID, list[tuple[Quota, Resource]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sort the rows by group, in the order of their keys."""
        for row in self.rows:
            self._of_group.setdefault(row.group_id, []).append((row, Resource(row.resource)))

    def refusal(self, row: Quota, user_id: UUID, asked: int) -> Reason | None:
        """Say which ceiling of this row the amount would break."""
        if row.ceiling is not None and row.used + asked > row.ceiling:
            return _full(ReasonCode.QUOTA_CEILING, row, row.ceiling, row.used, asked)
        mine = self.user_rows.get((row.pk, user_id))
        held = mine.used if mine else 0
        if row.user_ceiling is not None and held + asked > row.user_ceiling:
            return _full(ReasonCode.QUOTA_USER_CEILING, row, row.user_ceiling, held, asked)
        return None

    def asked(self, use: Use) -> Iterator[tuple[Quota, int]]:
        """Yield every row that a use counts against, with how much."""
        for group_id in self.lines[use.group_id]:
            for row, resource in self._of_group.get(group_id, ()):
                amount = use.amount.get(resource)
                if amount and row.pool_id in (None, use.pool_id):
                    yield row, amount

    def clear(self) -> None:
        """Forget what the rows have counted."""
        for row in self.rows:
            row.used = 0
        for mine in self.user_rows.values():
            mine.used = 0
        self.changed.update((row.pk, row) for row in self.rows)
        self.changed_users.update(self.user_rows)

    def count(self, uses: Iterable[Use], *, sign: int) -> None:
        """Count uses against every row that they concern."""
        for use in uses:
            for row, amount in self.asked(use):
                self.add(row, use.user_id, sign * amount)

    def add(self, row: Quota, user_id: UUID, change: int) -> None:
        """Change what a row and one user in it hold."""
        key = (row.pk, user_id)
        mine = self.user_rows.setdefault(key, UserUse(quota_id=row.pk, user_id=user_id))
        _add(row, change)
        _add(mine, change)
        self.changed[row.pk] = row
        self.changed_users.add(key)

    def save(self) -> None:
        """Write the rows that have changed."""
        if self.changed:
            with connection.cursor() as cursor:
                rows = [(row.pk, row.used) for row in self.changed.values()]
                cursor.execute(_SET_USED, [list(column) for column in zip(*rows, strict=True)])
        if not self.changed_users:
            return
        UserUse.objects.bulk_create(
            # Without their keys, so that an existing row meets the pair's own constraint.
            (
                UserUse(quota_id=row.quota_id, user_id=row.user_id, used=row.used)
                for row in (self.user_rows[key] for key in sorted(self.changed_users))
            ),
            update_conflicts=True,
            update_fields=["used"],
            unique_fields=["quota", "user"],
        )


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
