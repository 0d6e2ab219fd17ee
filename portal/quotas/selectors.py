"""Reads of quotas and limits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import (
    BigIntegerField,
    Exists,
    F,
    OuterRef,
    Prefetch,
    QuerySet,
    Subquery,
    UUIDField,
    Value,
)
from django.db.models.functions import Coalesce

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.quotas.models import (
    Budget,
    GroupLimit,
    MemberCeilingChange,
    MemberLimit,
    Quota,
    QuotaChange,
    QuotaChangeItem,
    UserUse,
)
from portal.tenancy import policies
from portal.tenancy.selectors import paths_for_system

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


def count_of_group_for_system(group_id: UUID) -> int:
    """Return how many quotas and budgets a group has."""
    return (
        Quota.objects.filter(group=group_id).count() + Budget.objects.filter(group=group_id).count()
    )


def quota_changes_visible_to(actor: Actor, group_id: UUID | None = None) -> "QuerySet[QuotaChange]":
    """Return what changed the quotas of the groups whose audit log the actor may read.

    Of a change of several groups only the items of these groups come with it.
    """
    items, members = QuotaChangeItem.objects.all(), MemberCeilingChange.objects.all()
    if not policies.can(actor, Action.AUDIT_VIEW, None):
        shown = [key for key in actor.roles if policies.can(actor, Action.AUDIT_VIEW, key)]
        if not shown:
            raise DeniedError("denied", action=Action.AUDIT_VIEW.value)
        items, members = items.filter(group__in=shown), members.filter(group__in=shown)
    if group_id is not None:
        items, members = items.filter(group=group_id), members.filter(group=group_id)
    ordered = items.select_related("group", "pool").order_by("id")
    of_members = members.select_related("group", "pool", "user").order_by("id")
    of_change = {"change": OuterRef("pk")}
    return (
        QuotaChange.objects.filter(
            Exists(items.filter(**of_change)) | Exists(members.filter(**of_change))
        )
        .select_related("actor", "undoes")
        .prefetch_related(Prefetch("items", ordered), Prefetch("members", of_members), "undone_by")
    )


def quota_change_visible_to(actor: Actor, change_id: UUID) -> QuotaChange:
    """Return one change with the items that the actor may see.

    Raises:
        NotFoundError: there is none, or it is another tenant's.
    """
    row = quota_changes_visible_to(actor).filter(pk=change_id).first()
    if row is None:
        raise NotFoundError("quota_change")
    return row


@dataclass(frozen=True, slots=True)
class SubmissionLimits:
    """What one member may submit in a group: the least of its own limits and the group's.

    None is unlimited.
    """

    pending_max: int | None
    environments_max: int | None
    time_limit_s: int | None
    is_priority_limited: bool
    """Whether a limit on priorities of its role, in any group, or its own is below the one asked."""

    def longest_run_s(self, most_s: int) -> int:
        """Return how long its work may run where its pool allows `most_s`, in seconds."""
        return _least(self.time_limit_s, most_s) or 0


# Written out, because every submission asks it.
_SUBMISSION_LIMITS: Final = """
SELECT of_group.id, of_group.pending_per_user_max, of_group.environments_per_user_max,
    of_group.time_limit_s_max, own.pending_max, own.environments_max, own.time_limit_s_max,
    coalesce(own.priority_max < %(priority)s, false) OR EXISTS (
        SELECT FROM quotas_grouplimit WHERE CASE %(role)s
            WHEN 'developer' THEN developer_priority_max < %(priority)s
            WHEN 'group_admin' THEN group_admin_priority_max < %(priority)s
        END
    )
FROM (VALUES (1)) AS one
LEFT JOIN quotas_grouplimit of_group ON of_group.group_id = %(group)s
LEFT JOIN quotas_memberlimit own ON own.group_id = %(group)s AND own.user_id = %(user)s
"""


def submission_limits_for_system(
    group_id: UUID, user_id: UUID, *, role: str = "", priority: int = 0
) -> SubmissionLimits:
    """Return the limits of a member who submits work of this priority in that role (one query)."""
    asked: dict[str, Any] = {"group": group_id, "user": user_id, "role": role, "priority": priority}
    with connection.cursor() as cursor:
        cursor.execute(_SUBMISSION_LIMITS, asked)
        key, *found = cursor.fetchone()
    *of_group, pending, notebooks, time_limit_s, is_priority_limited = found
    if key is None:
        unset = GroupLimit()
        of_group = [unset.pending_per_user_max, unset.environments_per_user_max, None]
    return SubmissionLimits(
        _least(of_group[0], pending),
        _least(of_group[1], notebooks),
        _least(of_group[2], time_limit_s),
        is_priority_limited,
    )


def longest_run_s_for_system(group_id: UUID, user_id: UUID, most_s: int) -> int:
    """Return how long a user's work in a group may run where its pool allows `most_s`, in seconds.

    The least applies of what the pool, the group and the member's own limit allow.
    """
    limits = (
        GroupLimit.objects.filter(group=group_id)
        .values_list("time_limit_s_max")
        .union(
            MemberLimit.objects.filter(group=group_id, user=user_id).values_list(
                "time_limit_s_max"
            ),
            all=True,
        )
    )
    return min([most_s, *(limit for (limit,) in limits if limit is not None)])


def longest_extended_run_s_for_system(group_id: UUID, most_s: int) -> int:
    """Return how long a group admin may let work of others run, in seconds."""
    row = GroupLimit.objects.filter(group_id=group_id).first() or GroupLimit()
    return min(most_s, row.time_limit_s_max or most_s) + row.extension_s_max


def volume_limits_for_system(group_ids: Collection[UUID]) -> list[GroupLimit]:
    """Return the limits of those of these groups whose volumes are limited together, with the group."""
    rows = GroupLimit.objects.filter(group__in=group_ids, volumes_mib_max__isnull=False)
    return list(rows.select_related("group").order_by("group"))


@dataclass(frozen=True, slots=True)
class RunningLimits:
    """How many workloads members may run at a time, where that is limited."""

    of_groups: Mapping[UUID, int]
    """For each member of a group."""
    of_members: Mapping[tuple[UUID, UUID], int]
    """By group and user."""

    @property
    def has_any(self) -> bool:
        """Return whether anything is limited."""
        return bool(self.of_groups or self.of_members)

    def limit_of(self, group_id: UUID, user_id: UUID) -> int | None:
        """Return the least limit of a member; None is unlimited."""
        return _least(self.of_groups.get(group_id), self.of_members.get((group_id, user_id)))


def running_limits_for_system(group_ids: Collection[UUID] | None = None) -> RunningLimits:
    """Return the limits in these groups, or in all (one query)."""
    of_groups = GroupLimit.objects.filter(running_per_user_max__isnull=False)
    of_members = MemberLimit.objects.filter(running_max__isnull=False)
    if group_ids is not None:
        of_groups = of_groups.filter(group__in=group_ids)
        of_members = of_members.filter(group__in=group_ids)
    rows = of_groups.values_list(
        "group", Value(None, output_field=UUIDField()), "running_per_user_max"
    ).union(of_members.values_list("group", "user", "running_max"), all=True)
    found = list(rows)
    return RunningLimits(
        {group: most for group, user, most in found if user is None},
        {(group, user): most for group, user, most in found if user is not None},
    )


def highest_priorities_for_system(
    user_id: UUID | None, roles: Mapping[UUID, str]
) -> Mapping[UUID, int]:
    """Return the highest priority that a user may give in each of these groups, by its role there.

    The least applies of what the group, those above it and the member's own limit allow. A group
    that is left out sets no limit; platform roles belong to no group and are not limited.
    """
    paths = paths_for_system(list(roles))
    above = {group for path in paths.values() for group in path}
    of_groups = {row.group_id: row for row in GroupLimit.objects.filter(group__in=above)}
    own_rows = MemberLimit.objects.filter(user=user_id, group__in=roles, priority_max__isnull=False)
    own = dict(own_rows.values_list("group", "priority_max"))
    found: dict[UUID, int] = {}
    for group_id, path in paths.items():
        column = _PRIORITY_COLUMNS.get(roles[group_id])
        limits = [getattr(of_groups[key], column) for key in path if column and key in of_groups]
        if (most := _least(*limits, own.get(group_id))) is not None:
            found[group_id] = most
    return found


_PRIORITY_COLUMNS: Final[Mapping[str, str]] = {
    "developer": "developer_priority_max",
    "group_admin": "group_admin_priority_max",
}


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
