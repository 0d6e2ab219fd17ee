"""The rules by which unused saved images go: those of the platform and of groups.

Which images a rule lets go is decided where their uses are known (`portal.images.image_retention`).
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, NotFoundError
from portal.common.notifications import invalidate_lists
from portal.images.models import ImageRetention
from portal.tenancy import policies
from portal.tenancy.models import Group


@transaction.atomic
def set_retention(
    *, actor: Actor, group_id: UUID | None, newest: int, used_days: int | None
) -> ImageRetention:
    """Replace the rule of a group, or without one that of the platform.

    Raises:
        NotFoundError: there is no such group, or the actor may not see it.
        DeniedError: the actor may not change its rule.
        ConflictError: somebody else made the first rule of the platform at the same moment.
    """
    _lock_owner(actor, group_id)
    row = _locked(group_id)
    before = _stored(row)
    row = row or ImageRetention(group_id=group_id)
    row.newest, row.used_days = newest, used_days
    if before != _stored(row):
        row.changed_at, row.changed_by_id = now(), actor.user_id
        _save(row)
        _audit(actor, "image_retention.change", group_id, before=before, after=_stored(row))
    return row


@transaction.atomic
def remove_retention(*, actor: Actor, group_id: UUID | None) -> None:
    """Remove a rule: a group is then under that of the group above or of the platform.

    Raises:
        NotFoundError: there is no such group, or the actor may not see it.
        DeniedError: the actor may not change its rule.
    """
    _lock_owner(actor, group_id)
    row = _locked(group_id)
    if row is not None:
        _audit(actor, "image_retention.remove", group_id, before=_stored(row))
        row.delete()


def may_set_retention(actor: Actor, group_id: UUID | None) -> bool:
    """Return whether the actor may change the rule of a group, or that of the platform."""
    return policies.can(actor, _action_of(group_id), group_id)


def retentions_for_system() -> Mapping[UUID | None, ImageRetention]:
    """Return every rule by its group; that of the platform by None (one query)."""
    rows = ImageRetention.objects.select_related("group", "changed_by")
    return {row.group_id: row for row in rows}


def _action_of(group_id: UUID | None) -> Action:
    return Action.IMAGE_MANAGE if group_id is None else Action.IMAGE_SAVE


def _lock_owner(actor: Actor, group_id: UUID | None) -> None:
    """Check the right; changes of the rule of one group wait for each other."""
    policies.require(actor, _action_of(group_id), group_id)
    groups = Group.objects.select_for_update(no_key=True)
    if group_id is not None and groups.filter(pk=group_id).first() is None:
        raise NotFoundError("group")


def _locked(group_id: UUID | None) -> ImageRetention | None:
    rows = ImageRetention.objects.select_for_update(no_key=True, of=("self",))
    return rows.filter(group=group_id).first()


def _save(row: ImageRetention) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise ConflictError("changed_meanwhile", state="") from error


def _stored(row: ImageRetention | None) -> dict[str, int | None]:
    return {"newest": row.newest, "used_days": row.used_days} if row else {}


def _audit(actor: Actor, action: str, group_id: UUID | None, **params: Any) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="image_retention",
        object_id=group_id or "platform",
        group_id=group_id,
        params=params,
    )
    invalidate_lists("image")
