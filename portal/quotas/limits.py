"""Limits that are counted per user: of all members of a group, and of single members."""

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError, NotFoundError
from portal.common.notifications import wake_scheduler
from portal.quotas.models import GroupLimit, MemberLimit
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, groups_visible_to, members_visible_to


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


@transaction.atomic
def set_member_limit(
    *, actor: Actor, group_id: UUID, user_id: UUID, time_limit_s_max: int
) -> MemberLimit:
    """Limit the run time of one member's work, or change that limit.

    Queued and running work is not affected.

    Raises:
        InvalidError: the user does not belong to the group.
    """
    group = group_visible_to(actor, group_id)
    policies.require(actor, Action.QUOTA_EDIT, group.pk)
    if user_id not in {member.user.pk for member in members_visible_to(actor, group.pk)}:
        raise InvalidError("not_a_member", pointer="/user", group=group.name)
    row, _ = MemberLimit.objects.update_or_create(
        group=group, user_id=user_id, defaults={"time_limit_s_max": time_limit_s_max}
    )
    _audit(actor, "member_limit.set", row)
    return row


@transaction.atomic
def remove_member_limit(*, actor: Actor, limit_id: UUID) -> None:
    """Remove a member's limit; those of the group and of the pool remain."""
    row = member_limits_visible_to(actor).filter(pk=limit_id).first()
    if row is None:
        raise NotFoundError("member_limit")
    policies.require(actor, Action.QUOTA_EDIT, row.group_id, what="member_limit")
    _audit(actor, "member_limit.remove", row)
    row.delete()


def _audit(actor: Actor, action: str, row: MemberLimit) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="member_limit",
        object_id=row.pk,
        group_id=row.group_id,
        params={"user": str(row.user_id), "time_limit_s_max": row.time_limit_s_max},
    )
