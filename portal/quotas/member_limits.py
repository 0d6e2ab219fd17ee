"""How long the work of single members may run: set beside the limits that all of a group share."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError, NotFoundError
from portal.quotas.models import MemberLimit
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, members_visible_to


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
    """Limit one member of a group, or change that limit; what waits and runs stays.

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
    _note(actor, "member_limit.set", row)
    return row


@transaction.atomic
def remove_member_limit(*, actor: Actor, limit_id: UUID) -> None:
    """Let a member's work run as long as the group's may."""
    row = member_limits_visible_to(actor).filter(pk=limit_id).first()
    if row is None:
        raise NotFoundError("member_limit")
    policies.require(actor, Action.QUOTA_EDIT, row.group_id, what="member_limit")
    _note(actor, "member_limit.remove", row)
    row.delete()


def _note(actor: Actor, action: str, row: MemberLimit) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="member_limit",
        object_id=row.pk,
        group_id=row.group_id,
        params={"user": str(row.user_id), "time_limit_s_max": row.time_limit_s_max},
    )
