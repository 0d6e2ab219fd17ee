"""The overview: what is not well, who holds what, what is idle, and what the last 24 hours were."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.core.cache import cache

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError
from portal.fleet.capacity import PoolGpus, pool_gpus_for_system
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.inventory.selectors import pools_visible_to
from portal.metering.recent import RecentUse, recent_use_for_system
from portal.metering.selectors import administered_groups
from portal.overview.held_gpus import (
    HeldSum,
    HolderKind,
    IdleFacts,
    held_sums_for_system,
    idle_facts_for_system,
)
from portal.overview.problems import ClusterProblem, find_problems
from portal.tenancy.models import Group
from portal.workloads.models import Workload

HOLDERS_MAX: Final = 10
"""Groups, and people, in one answer: those that hold most."""
IDLE_MAX: Final = 20
"""Idle workloads in one answer: those that hold most."""
RECENT_FOR: Final = timedelta(minutes=5)
"""How long the figures of the last 24 hours are kept: they change slowly and cost most.

Celery refreshes those of the whole cluster before that.
"""
_OF_IDLE_WORK: Final = (
    *("name", "kind", "owner__username", "owner__display_name"),
    *("group__name", "group__title_en", "group__title_zh"),
)
"""What is shown of idle work."""
TITLED: Final = ("name", "title_en", "title_zh")
"""What is shown of groups and pools."""


@dataclass(frozen=True, slots=True)
class Holding:
    """GPUs that a group or a person holds now."""

    held: HeldSum
    group: Group | None = None
    user: User | None = None


@dataclass(frozen=True, slots=True)
class PoolUse:
    """The GPUs of one pool: each is held, free, lost or out of service."""

    pool: Pool
    gpus: PoolGpus
    idle_milli: int


@dataclass(frozen=True, slots=True)
class IdleWork:
    """Work that holds GPUs and does not use them; of several nodes, all those that are idle."""

    held: HeldSum
    work: Workload
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Overview:
    """All of it at one moment."""

    as_of: datetime
    is_whole: bool
    """Whether it is of the whole cluster, and not of the reader's groups only."""
    problems: Sequence[ClusterProblem]
    pools: Sequence[PoolUse]
    """Empty where it is not of the whole cluster."""
    held: HeldSum
    groups: Sequence[Holding]
    groups_total: int
    people: Sequence[Holding]
    people_total: int
    idle: Sequence[IdleWork]
    idle_total: int


def overview_visible_to(actor: Actor) -> Overview:
    """Return the overview of the cluster, or of the groups that the actor administers.

    Raises:
        DeniedError: the actor neither sees the platform nor administers a group.
    """
    groups = scope_of(actor)
    facts = idle_facts_for_system()
    held = held_sums_for_system(groups, facts, most=HOLDERS_MAX, most_idle=IDLE_MAX)
    teams = groups_by_id_for_system(_key(row) for row in held[HolderKind.GROUP])
    return Overview(
        as_of=now(),
        is_whole=groups is None,
        problems=find_problems(actor),
        pools=_pools(actor, held) if groups is None else (),
        held=next(iter(held[HolderKind.ALL])),
        groups=[Holding(row, group=teams[_key(row)]) for row in held[HolderKind.GROUP]],
        groups_total=_total(held[HolderKind.GROUP]),
        people=_people(held[HolderKind.OWNER]),
        people_total=_total(held[HolderKind.OWNER]),
        idle=_idle(held[HolderKind.WORKLOAD], facts),
        idle_total=_total(held[HolderKind.WORKLOAD]),
    )


def recent_use_visible_to(actor: Actor) -> tuple[RecentUse, RecentUse]:
    """Return what the last 24 hours were, and the 24 hours before them, a few minutes old at most.

    Raises:
        DeniedError: the actor neither sees the platform nor administers a group.
    """
    groups = scope_of(actor)
    found: tuple[RecentUse, RecentUse] | None = cache.get(_recent_kept_as(groups))
    if found is None or abs(now() - found[0].ends_at) > RECENT_FOR:
        found = refresh_recent_use_for_system(groups)
    return found


def refresh_recent_use_for_system(
    groups: frozenset[UUID] | None = None,
) -> tuple[RecentUse, RecentUse]:
    """Sum up the last 24 hours and those before them, of the whole cluster or of groups, and keep it."""
    found = recent_use_for_system(now(), groups)
    cache.set(_recent_kept_as(groups), found, RECENT_FOR.total_seconds())
    return found


def _recent_kept_as(groups: frozenset[UUID] | None) -> str:
    names = "all" if groups is None else " ".join(sorted(str(group) for group in groups))
    return f"overview.recent:{hashlib.sha256(names.encode()).hexdigest()}"


def scope_of(actor: Actor) -> frozenset[UUID] | None:
    """Return the groups whose work the actor looks after; None is all.

    Raises:
        DeniedError: the actor neither sees the platform nor administers a group.
    """
    groups = administered_groups(actor)
    if groups is not None and not groups:
        raise DeniedError("denied", action=Action.USAGE_VIEW.value)
    return groups


def _key(row: HeldSum) -> UUID:
    if row.key is None:
        raise LookupError(row.of)
    return row.key


def _total(rows: Sequence[HeldSum]) -> int:
    return rows[0].total if rows else 0


def groups_by_id_for_system(keys: Iterable[UUID]) -> Mapping[UUID, Group]:
    """Return groups with what is shown of them."""
    return Group.objects.only(*TITLED).in_bulk(list(keys))


def _people(rows: Sequence[HeldSum]) -> list[Holding]:
    users = User.objects.only("username", "display_name").in_bulk([_key(row) for row in rows])
    return [Holding(row, user=users[_key(row)]) for row in rows]


def _idle(rows: Sequence[HeldSum], facts: IdleFacts) -> list[IdleWork]:
    works = Workload.objects.select_related("owner", "group").only(*_OF_IDLE_WORK)
    found = works.in_bulk([_key(row) for row in rows])
    return [
        IdleWork(
            held=row,
            work=found[_key(row)],
            since=min(
                (facts.since[key] for key in row.idle_allocations.split(",") if key in facts.since),
                default=None,
            ),
        )
        for row in rows
        if row.key in found
    ]


def _pools(actor: Actor, held: Mapping[str, Sequence[HeldSum]]) -> list[PoolUse]:
    gpus = pool_gpus_for_system()
    idle = {row.key: row.idle_milli for row in held[HolderKind.POOL]}
    return [
        PoolUse(pool, gpus.get(pool.pk, PoolGpus()), idle.get(pool.pk, 0))
        for pool in pools_visible_to(actor).only(*TITLED).order_by("name")
    ]
