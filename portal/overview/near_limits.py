"""What is near its limit: quotas, budgets, disks of nodes, volumes; the nearest first."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID

from django.core.cache import cache
from django.db.models import BigIntegerField, F
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThanOrEqual

from portal.common.actor import Actor
from portal.common.clock import now
from portal.inventory.models import Node, Pool
from portal.inventory.selectors import nodes_visible_to
from portal.overview.selectors import scope_of
from portal.quotas.budgets import budgets_visible_to
from portal.quotas.models import Budget
from portal.quotas.selectors import quotas_visible_to
from portal.tenancy.models import Group
from portal.volumes.models import Volume
from portal.volumes.selectors import volumes_visible_to
from portal.workloads.gpu_accounting import budget_standings_for_system, limit_of

NEAR_PCT: Final = 90
"""From so much of a limit on, something is near it."""
NEAR_LIMITS_MAX: Final = 20
"""Limits in one answer; the total says how many are near."""
BUDGET_USES_FOR: Final = timedelta(seconds=90)
"""How long it is kept how much of budgets is used; limits are those of now."""
_USES_KEPT_AS: Final = "overview.budget_uses"
_Counted = tuple[UUID, UUID | None, str, str]
"""A budget, and on what its use depends: pool, period and currency."""
_OF_GROUP: Final = ("group__name", "group__title_en", "group__title_zh")
_OF_POOL: Final = ("pool__name", "pool__title_en", "pool__title_zh")
_OF_QUOTAS: Final = ("model", "resource", "used", "ceiling", *_OF_GROUP, *_OF_POOL)
_OF_VOLUMES: Final = ("name", "used_mib", "quota_mib", "owner__username", *_OF_GROUP)
_OF_DISKS: Final = ("name", "disk_mib", "disk_free_mib", *_OF_POOL)
"""What is shown of each: what else their rows have takes longer to ask for than to find."""
_DISK: Final = Cast(F("disk_mib"), BigIntegerField())


class _BudgetUses(NamedTuple):
    at: datetime
    uses: Mapping[_Counted, int]


class LimitKind(StrEnum):
    """What is limited."""

    QUOTA = "quota"
    BUDGET = "budget"
    DISK = "disk"
    VOLUME = "volume"


@dataclass(frozen=True, slots=True, kw_only=True)
class NearLimit:
    """A limit with how much of it is used, in the unit of its kind."""

    kind: LimitKind
    id: UUID
    name: str = ""
    """Of a node, a volume, or of the owner of a home."""
    resource: str = ""
    """Of a quota; the period of a budget."""
    currency: str = ""
    """Of a budget of money, which is in its millionths."""
    group: Group | None = None
    pool: Pool | None = None
    used: int
    limit: int

    @property
    def used_pct(self) -> int:
        """Return how much of it is used, rounded down."""
        return self.used * 100 // self.limit


@dataclass(frozen=True, slots=True)
class NearLimits:
    """The nearest, and how many there are."""

    total: int
    limits: Sequence[NearLimit]


def near_limits_visible_to(actor: Actor) -> NearLimits:
    """Return what is near its limit in the cluster, or in the groups that the actor administers.

    Raises:
        DeniedError: the actor neither sees the platform nor administers a group.
    """
    groups = scope_of(actor)
    found = [*_quotas(actor, groups), *_budgets(actor, groups), *_volumes(actor, groups)]
    if groups is None:
        found += _disks(actor)
    found.sort(key=lambda near: (-near.used_pct, near.kind, near.name, str(near.id)))
    return NearLimits(len(found), found[:NEAR_LIMITS_MAX])


def _quotas(actor: Actor, groups: Collection[UUID] | None) -> Iterable[NearLimit]:
    is_near = GreaterThanOrEqual(F("used") * 100, F("ceiling") * NEAR_PCT)
    rows = quotas_visible_to(actor).filter(is_near, ceiling__gt=0).only(*_OF_QUOTAS)
    for row in rows:
        if groups is None or row.group_id in groups:
            yield NearLimit(
                kind=LimitKind.QUOTA,
                id=row.pk,
                name=row.model,
                resource=row.resource,
                group=row.group,
                pool=row.pool,
                used=row.used,
                limit=row.ceiling or 0,
            )


def refresh_budget_uses() -> _BudgetUses:
    """Find out how much of each budget is used, and keep it for who asks next."""
    moment, rows = now(), list(Budget.objects.select_related("spending"))
    uses = {_counted(row): used for row, used, _ in budget_standings_for_system(rows, moment)}
    found = _BudgetUses(moment, uses)
    cache.set(_USES_KEPT_AS, found, BUDGET_USES_FOR.total_seconds())
    return found


def _uses_of(rows: Sequence[Budget]) -> Mapping[_Counted, int]:
    """Return how much of budgets, and others, is used; a little while old at most."""
    if not rows:
        return {}
    kept: _BudgetUses | None = cache.get(_USES_KEPT_AS)
    if kept is None or abs(now() - kept.at) > BUDGET_USES_FOR:
        return refresh_budget_uses().uses
    is_whole = kept.uses.keys() >= {_counted(row) for row in rows}
    return kept.uses if is_whole else refresh_budget_uses().uses


def _counted(row: Budget) -> _Counted:
    return row.pk, row.pool_id, row.period, row.currency


def _budgets(actor: Actor, groups: Collection[UUID] | None) -> Iterable[NearLimit]:
    visible = [row for row in budgets_visible_to(actor) if groups is None or row.group_id in groups]
    rows = [row for row in visible if limit_of(row)]
    uses = _uses_of(rows)
    for row in rows:
        used, limit = uses.get(_counted(row), 0), limit_of(row)
        if used * 100 >= limit * NEAR_PCT:
            yield NearLimit(
                kind=LimitKind.BUDGET,
                id=row.pk,
                resource=row.period,
                currency=row.currency,
                group=row.group,
                pool=row.pool,
                used=used,
                limit=limit,
            )


def _volumes(actor: Actor, groups: Collection[UUID] | None) -> Iterable[NearLimit]:
    is_near = GreaterThanOrEqual(F("used_mib") * 100, F("quota_mib") * NEAR_PCT)
    rows = volumes_visible_to(actor).filter(is_near, state=Volume.State.ACTIVE, quota_mib__gt=0)
    for row in rows.select_related(None).select_related("owner", "group").only(*_OF_VOLUMES):
        if groups is None or row.group_id in groups:
            yield NearLimit(
                kind=LimitKind.VOLUME,
                id=row.pk,
                name=row.name if row.owner is None else f"{row.owner.username}/{row.name}",
                group=row.group,
                used=row.used_mib or 0,
                limit=row.quota_mib,
            )


def _disks(actor: Actor) -> Iterable[NearLimit]:
    is_near = GreaterThanOrEqual((_DISK - F("disk_free_mib")) * 100, _DISK * NEAR_PCT)
    for row in nodes_visible_to(actor).filter(is_near, disk_mib__gt=0).only(*_OF_DISKS):
        yield _disk(row)


def _disk(node: Node) -> NearLimit:
    total, free = node.disk_mib or 0, node.disk_free_mib or 0
    return NearLimit(
        kind=LimitKind.DISK,
        id=node.pk,
        name=node.name,
        pool=node.pool,
        used=max(total - free, 0),
        limit=total,
    )
