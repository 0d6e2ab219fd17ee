"""Limits that are counted per user: of all members of a group, and of single members."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.quotas.models import GroupLimit, MemberCeiling, MemberLimit, Quota
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, groups_visible_to, members_visible_to

_OF_GROUP: Final[Mapping[str, str]] = {
    "time_limit_s_max": "time_limit_s_max",
    "pending_max": "pending_per_user_max",
    "running_max": "running_per_user_max",
    "environments_max": "environments_per_user_max",
}
"""Counted limits of single members, and the group's that each must keep within."""
MEMBER_LIMITS: Final = (*_OF_GROUP, "priority_max")
"""What may be limited of a member, besides its part of quotas."""
Member = tuple[UUID, UUID]
"""A group and a user in it."""


def group_limit_visible_to(actor: Actor, group_id: UUID) -> GroupLimit:
    """Return the counted limits of a visible group; unsaved defaults where none were set."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_VIEW, group.pk)
    return GroupLimit.objects.filter(group=group).first() or GroupLimit(group=group)


def group_limits_visible_to(actor: Actor) -> list[GroupLimit]:
    """Return the counted limits of every visible group; unsaved defaults where none were set."""
    groups = groups_visible_to(actor).order_by("name")
    found = {row.group_id: row for row in GroupLimit.objects.select_related("group")}
    return [found.get(group.pk) or GroupLimit(group=group) for group in groups]


@transaction.atomic
def change_group_limit(
    *, actor: Actor, group_id: UUID, changes: Mapping[str, int | None]
) -> GroupLimit:
    """Set counted limits of a group; queued and running work is not affected."""
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    row, _ = GroupLimit.objects.update_or_create(group=group, defaults=dict(changes))
    audit.record_event(
        actor=actor,
        action="group.limits",
        object_type="group",
        object_id=group.pk,
        group_id=group.pk,
        params=dict(changes),
    )
    wake_scheduler()
    return row


def member_limits_visible_to(actor: Actor, group_id: UUID | None = None) -> "QuerySet[MemberLimit]":
    """Return the limits of single members in the actor's groups."""
    visible = policies.visible_group_ids(actor)
    rows = MemberLimit.objects.select_related("group", "user")
    if visible is not None:
        rows = rows.filter(group__in=visible)
    if group_id is not None:
        rows = rows.filter(group=group_id)
    return rows.order_by("group__name", "user__username")


def member_ceilings_for_system(rows: Iterable[MemberLimit]) -> Mapping[Member, list[MemberCeiling]]:
    """Return the ceilings of these members, by group and user, each with its quota (one query)."""
    users = {row.user_id for row in rows}
    found: dict[Member, list[MemberCeiling]] = defaultdict(list)
    ceilings = MemberCeiling.objects.filter(user__in=users).select_related("quota__pool")
    for ceiling in ceilings.order_by("quota__resource", "quota_id"):
        found[ceiling.quota.group_id, ceiling.user_id].append(ceiling)
    return found


@transaction.atomic
def set_member_limit(
    *,
    actor: Actor,
    group_id: UUID,
    user_id: UUID,
    limits: Mapping[str, int | None],
    ceilings: Mapping[UUID, int],
) -> MemberLimit:
    """Limit one member, within what the group has; what is left out has no limit of its own.

    `ceilings` are by quota of the group. Queued and running work is not affected.

    Raises:
        InvalidError: the user is no member, or a limit is above the group's.
        DeniedError: only others set one's limits.
    """
    group = group_visible_to(actor, group_id)
    _require_other(actor, group.pk, user_id)
    if user_id not in {member.user.pk for member in members_visible_to(actor, group.pk)}:
        raise InvalidError("not_a_member", pointer="/user", group=group.name)
    if not ceilings and all(limit is None for limit in limits.values()):
        raise InvalidError("nothing_limited", pointer="/time_limit_s_max")
    _require_within_group(group.pk, limits)
    given = {name: limits.get(name) for name in MEMBER_LIMITS}
    row, _ = MemberLimit.objects.update_or_create(group=group, user_id=user_id, defaults=given)
    _write_ceilings(group.pk, user_id, ceilings)
    shown = {str(quota): ceiling for quota, ceiling in ceilings.items()}
    _audit(actor, "member_limit.set", row, {**given, "ceilings": shown})
    return row


@transaction.atomic
def remove_member_limit(*, actor: Actor, limit_id: UUID) -> None:
    """Remove a member's limits; those of the group and of the pool remain."""
    row = member_limits_visible_to(actor).filter(pk=limit_id).first()
    if row is None:
        raise NotFoundError("member_limit")
    _require_other(actor, row.group_id, row.user_id)
    _audit(actor, "member_limit.remove", row, {})
    MemberLimit.objects.filter(pk=row.pk).delete()
    _write_ceilings(row.group_id, row.user_id, {})


def _require_other(actor: Actor, group_id: UUID, user_id: UUID) -> None:
    """Require that the actor may limit this member; only the platform's admins limit themselves."""
    policies.require(actor, Action.MEMBER_LIMIT_EDIT, group_id, what="member_limit")
    if actor.user_id == user_id and not policies.can(actor, Action.QUOTA_EDIT, None):
        raise DeniedError("own_limit", group_id=group_id)


def _require_within_group(group_id: UUID, limits: Mapping[str, int | None]) -> None:
    of_group = GroupLimit.objects.filter(group=group_id).first() or GroupLimit()
    for name, column in _OF_GROUP.items():
        own, most = limits.get(name), getattr(of_group, column)
        if own is not None and most is not None and own > most:
            raise InvalidError("above_group_limit", pointer=f"/{name}", max=most)


def _write_ceilings(group_id: UUID, user_id: UUID, ceilings: Mapping[UUID, int]) -> None:
    """Replace a member's ceilings; the quotas are locked, so that no placement counts meanwhile."""
    locked = Quota.objects.filter(group=group_id).select_for_update(no_key=True).order_by("id")
    quotas = {row.pk: row for row in locked}
    for quota_id, ceiling in ceilings.items():
        if quota_id not in quotas:
            raise InvalidError("unknown_quota", pointer="/ceilings")
        row = quotas[quota_id]
        most = min((m for m in (row.ceiling, row.user_ceiling) if m is not None), default=ceiling)
        if ceiling > most:
            raise InvalidError("above_group_limit", pointer="/ceilings", max=most)
    MemberCeiling.objects.filter(quota__in=quotas, user=user_id).delete()
    MemberCeiling.objects.bulk_create(
        MemberCeiling(quota_id=quota_id, user_id=user_id, ceiling=ceiling)
        for quota_id, ceiling in ceilings.items()
    )


def _audit(actor: Actor, action: str, row: MemberLimit, params: Mapping[str, Any]) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="member_limit",
        object_id=row.pk,
        group_id=row.group_id,
        params={"user": str(row.user_id), **params},
    )
    wake_scheduler()
