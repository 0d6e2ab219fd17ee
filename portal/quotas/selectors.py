"""Reads of quotas and limits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import BigIntegerField, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.quotas.models import GroupLimit, MemberLimit, Quota, UserUse
from portal.tenancy import policies

ROWS_MAX: Final = 1000
"""Quota rows in one answer."""


def quotas_visible_to(actor: Actor, group_id: UUID | None = None) -> "QuerySet[Quota]":
    """Return the quotas of the actor's groups, each with `my_used`: what the actor uses of it."""
    visible = policies.visible_group_ids(actor)
    mine = UserUse.objects.filter(quota=OuterRef("pk"), user=actor.user_id).values("used")
    rows = Quota.objects.select_related("group", "pool").annotate(
        my_used=Coalesce(Subquery(mine), Value(0), output_field=BigIntegerField())
    )
    if visible is not None:
        rows = rows.filter(group_id__in=visible)
    if group_id is not None:
        rows = rows.filter(group_id=group_id)
    return rows.order_by("group__name", F("pool__name").asc(nulls_first=True), "resource", "model")


def quota_visible_to(actor: Actor, quota_id: UUID) -> Quota:
    """Return one quota.

    Raises:
        NotFoundError: there is none, or it is another tenant's.
    """
    row = quotas_visible_to(actor).filter(pk=quota_id).first()
    if row is None:
        raise NotFoundError("quota")
    return row


@dataclass(frozen=True, slots=True)
class CountedLimits:
    """How many workloads and notebooks one user may have in a group; None is unlimited."""

    pending_max: int | None
    running_max: int | None
    environments_max: int | None


def counted_limits_for_system(group_id: UUID) -> CountedLimits:
    """Return the counted limits of a group; without a row of its own, the defaults."""
    row = GroupLimit.objects.filter(group_id=group_id).first() or GroupLimit()
    return CountedLimits(
        row.pending_per_user_max,
        row.running_per_user_max,
        row.environments_per_user_max,
    )


def longest_run_s_for_system(group_id: UUID, user_id: UUID, most_s: int) -> int:
    """Return how long a user's work in a group may run where its pool allows `most_s`, in seconds.

    The least applies of what the pool, the group and the member's own limit allow.
    """
    of_group = GroupLimit.objects.filter(group=group_id, time_limit_s_max__isnull=False)
    of_member = MemberLimit.objects.filter(group=group_id, user=user_id)
    limits = of_group.values_list("time_limit_s_max").union(
        of_member.values_list("time_limit_s_max"), all=True
    )
    return min([most_s, *(limit for (limit,) in limits if limit is not None)])


def running_limits_for_system(group_ids: Collection[UUID]) -> Mapping[UUID, int]:
    """Return how many workloads one user may run, for the groups that limit it."""
    rows = GroupLimit.objects.filter(group__in=group_ids)
    limits = rows.values_list("group", "running_per_user_max")
    return {group: most for group, most in limits if most is not None}
