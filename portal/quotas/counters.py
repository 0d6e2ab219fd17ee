"""Quota counters while a transaction has locked their rows: read once, counted in memory, written once.

Every placement and every end of work counts here, so it is plain columns and four statements.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import connection

from portal.tenancy.selectors import paths_for_system
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.resources import Resource, Resources

_LOCK: Final = """
SELECT quota.id, quota.group_id, quota.pool_id, quota.resource, quota.ceiling, quota.user_ceiling,
    quota.used, tenant.name, coalesce(pool.name, ''), quota.model
FROM quotas_quota quota
JOIN tenancy_group tenant ON tenant.id = quota.group_id
LEFT JOIN inventory_pool pool ON pool.id = quota.pool_id
WHERE %(all)s OR quota.group_id = ANY(%(groups)s::uuid[])
    AND (quota.pool_id IS NULL OR quota.pool_id = ANY(%(pools)s::uuid[]))
ORDER BY quota.id FOR NO KEY UPDATE OF quota
"""
# Users' parts are read by a separate statement: only one that begins after the rows are locked sees
# what earlier transactions have committed (read committed isolation).
_PARTS: Final = """
SELECT quota_id, user_id, used FROM quotas_useruse
WHERE quota_id = ANY(%(quotas)s::uuid[]) AND (%(all)s OR user_id = ANY(%(users)s::uuid[]))
"""
_OWN_CEILINGS: Final = """
SELECT quota_id, user_id, ceiling FROM quotas_memberceiling
WHERE quota_id = ANY(%(quotas)s::uuid[]) AND (%(all)s OR user_id = ANY(%(users)s::uuid[]))
"""
_WRITE: Final = """
WITH parts AS (
    INSERT INTO quotas_useruse (quota_id, user_id, used)
    SELECT * FROM unnest(%(part_quotas)s::uuid[], %(part_users)s::uuid[], %(part_used)s::bigint[])
    ON CONFLICT (quota_id, user_id) DO UPDATE SET used = EXCLUDED.used
)
UPDATE quotas_quota SET used = new.used
FROM unnest(%(quotas)s::uuid[], %(used)s::bigint[]) AS new (id, used)
WHERE quotas_quota.id = new.id
"""

logger = structlog.get_logger(__name__)

UserPart = tuple[UUID, UUID]
"""A quota and a user who uses some of it."""


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """What one user uses, or is about to use, in one group and pool."""

    group_id: UUID
    pool_id: UUID
    user_id: UUID
    amount: Resources
    gpu_milli_by_model: Mapping[str, int] = field(default_factory=dict)
    """The GPUs of `amount` by their model."""


@dataclass(slots=True)
class LockedQuota:
    """A locked quota."""

    id: UUID
    group_id: UUID
    pool_id: UUID | None
    resource: Resource
    ceiling: int | None
    user_ceiling: int | None
    used: int
    group: str
    pool: str
    """Name; empty for all pools together."""
    model: str = ""
    """The model of GPUs that it counts; empty for all."""


@dataclass(frozen=True, slots=True)
class QuotaCounters:
    """Locked quota rows with the part of each user in them."""

    rows: tuple[LockedQuota, ...]
    paths: Mapping[UUID, tuple[UUID, ...]]
    """Each group with itself and all its ancestors."""
    user_parts: dict[UserPart, int]
    own_ceilings: Mapping[UserPart, int]
    """Of the few members that have one."""
    _changed: dict[UUID, LockedQuota] = field(default_factory=dict)
    _changed_parts: set[UserPart] = field(default_factory=set)
    _of_group: dict[UUID, list[LockedQuota]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        """Sort the rows by group, in the order of their keys."""
        for row in self.rows:
            self._of_group[row.group_id].append(row)

    @classmethod
    def lock(cls, uses: Collection[QuotaUse]) -> "QuotaCounters":
        """Lock every row that these uses count against, in the order of their ids."""
        paths = paths_for_system({use.group_id for use in uses})
        rows = _lock_rows(
            {
                "all": False,
                "groups": list({group for path in paths.values() for group in path}),
                "pools": list({use.pool_id for use in uses}),
            }
        )
        users = {use.user_id for use in uses}
        parts, ceilings = (
            _load_of_users(_PARTS, rows, users),
            _load_of_users(_OWN_CEILINGS, rows, users),
        )
        return cls(rows, paths, parts, ceilings)

    @classmethod
    def lock_all(cls) -> "QuotaCounters":
        """Lock every row there is."""
        rows = _lock_rows({"all": True, "groups": [], "pools": []})
        return cls(rows, paths_for_system(), _load_of_users(_PARTS, rows, None), {})

    def find_refusal(self, use: QuotaUse) -> Reason | None:
        """Return which limit the use would exceed: of the group, an ancestor or the user."""
        for row, amount in self._matching_rows(use):
            if row.ceiling is not None and row.used + amount > row.ceiling:
                return _refusal_reason(ReasonCode.QUOTA_CEILING, row, row.ceiling, row.used, amount)
            held = self.user_parts.get((row.id, use.user_id), 0)
            most = self._member_ceiling(row, use.user_id)
            if most is not None and held + amount > most:
                return _refusal_reason(ReasonCode.QUOTA_USER_CEILING, row, most, held, amount)
        return None

    def _member_ceiling(self, row: LockedQuota, user_id: UUID) -> int | None:
        """Return the least of what the quota allows each member and this one."""
        own = self.own_ceilings.get((row.id, user_id))
        found = [most for most in (row.user_ceiling, own) if most is not None]
        return min(found, default=None)

    def count_uses(self, uses: Iterable[QuotaUse], *, sign: int) -> None:
        """Count uses against the group, all its ancestors and the user."""
        for use in uses:
            for row, amount in self._matching_rows(use):
                part = row.id, use.user_id
                row.used = _add(row.id, row.used, sign * amount)
                self.user_parts[part] = _add(row.id, self.user_parts.get(part, 0), sign * amount)
                self._changed[row.id] = row
                self._changed_parts.add(part)

    def clear_counts(self) -> None:
        """Set all counts to zero."""
        for row in self.rows:
            row.used = 0
        for part in self.user_parts:
            self.user_parts[part] = 0
        self._changed.update((row.id, row) for row in self.rows)
        self._changed_parts.update(self.user_parts)

    def save(self) -> None:
        """Write the rows that have changed."""
        if not self._changed:
            return
        parts = sorted(self._changed_parts)
        with connection.cursor() as cursor:
            cursor.execute(
                _WRITE,
                {
                    "quotas": list(self._changed),
                    "used": [row.used for row in self._changed.values()],
                    "part_quotas": [quota for quota, _ in parts],
                    "part_users": [user for _, user in parts],
                    "part_used": [self.user_parts[part] for part in parts],
                },
            )

    def _matching_rows(self, use: QuotaUse) -> Iterator[tuple[LockedQuota, int]]:
        """Yield every row that a use counts against, with how much."""
        for group_id in self.paths[use.group_id]:
            for row in self._of_group.get(group_id, ()):
                amount = (
                    use.gpu_milli_by_model.get(row.model, 0)
                    if row.model
                    else use.amount.get(row.resource)
                )
                if amount and row.pool_id in (None, use.pool_id):
                    yield row, amount


def _lock_rows(which: Mapping[str, Any]) -> tuple[LockedQuota, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, which)
        return tuple(
            LockedQuota(key, group, pool, Resource(resource), *rest)
            for key, group, pool, resource, *rest in cursor.fetchall()
        )


def _load_of_users(
    statement: str, rows: Collection[LockedQuota], users: Collection[UUID] | None
) -> dict[UserPart, int]:
    """Read the users' parts or own ceilings; the locks on the quotas cover them."""
    if not rows:
        return {}
    quotas = [row.id for row in rows]
    with connection.cursor() as cursor:
        cursor.execute(
            statement, {"quotas": quotas, "all": users is None, "users": list(users or ())}
        )
        return {(quota, user): amount for quota, user, amount in cursor.fetchall()}


def _add(key: UUID, used: int, change: int) -> int:
    """Change a counter; a row that was made after the use began is kept from going negative."""
    if used + change < 0:
        logger.error("quota.drift", row=str(key), used=used, change=change)
    return max(used + change, 0)


def _refusal_reason(
    code: ReasonCode, row: LockedQuota, limit: int, used: int, requested: int
) -> Reason:
    params: dict[str, int | str] = {
        "group": row.group,
        "pool": row.pool,
        "resource": row.resource.value,
        "limit": limit,
        "used": used,
        "requested": requested,
    }
    return Reason(code, params | ({"model": row.model} if row.model else {}))
