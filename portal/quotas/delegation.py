"""Quotas that the group above grants out of its own."""

from uuid import UUID

from django.db import transaction

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, InvalidError
from portal.quotas import changes, selectors
from portal.quotas.edits import QuotaEdit
from portal.quotas.models import Quota
from portal.tenancy import policies


def needs_platform(quota: Quota, ceiling: int) -> bool:
    """Return whether such a ceiling is more than the group above can grant out of its own."""
    above = ceiling_above(quota)
    return above is None or ceiling > above


def ceiling_above(quota: Quota) -> int | None:
    """Return the ceiling of the same quota of the group above; None where it has none."""
    same = Quota.objects.filter(
        group=quota.group.parent_id,
        pool=quota.pool_id,
        resource=quota.resource,
        model=quota.model,
    )
    return same.values_list("ceiling", flat=True).first()


@transaction.atomic
def grant_quota(*, actor: Actor, quota_id: UUID, ceiling: int, reason: str) -> None:
    """Raise the ceiling of a group: its parent's admins up to their own, the platform's to any.

    The ceiling of the group above still bounds all groups below it together.
    """
    quota = selectors.quota_visible_to(actor, quota_id)
    if policies.can(actor, Action.QUOTA_EDIT, None):
        limits = {"ceiling": ceiling}
        changes.change_quota(actor=actor, quota_id=quota_id, changes=limits, reason=reason)
        return
    parent_id = quota.group.parent_id
    if parent_id is None or not policies.can(actor, Action.REQUEST_DECIDE, parent_id):
        raise DeniedError("denied", group_id=quota.group_id, action=Action.REQUEST_DECIDE.value)
    if needs_platform(quota, ceiling):
        raise InvalidError("above_group_limit", pointer="/ceiling", max=ceiling_above(quota) or 0)
    changes.raise_ceiling(actor=actor, quota_id=quota_id, ceiling=ceiling, reason=reason)


def require_edit_allowed(actor: Actor, edit: QuotaEdit, row: Quota | None) -> None:
    """Require that the actor may make this edit of a present quota, or of one that is new.

    The platform's admins may make any. An admin of the group above may raise a ceiling up to that
    group's own, and nothing else.

    Raises:
        NotFoundError: the actor may not even see the group.
        DeniedError: the actor may not edit this quota, or not in this way.
    """
    if policies.can(actor, Action.QUOTA_EDIT, None):
        return
    if row is None or not _raises_ceiling_only(edit):
        policies.require(actor, Action.QUOTA_EDIT, edit.group_id)
        return
    parent_id = row.group.parent_id
    if parent_id is None or not policies.can(actor, Action.REQUEST_DECIDE, parent_id):
        policies.require(actor, Action.QUOTA_EDIT, edit.group_id)
        return
    ceiling = edit.after and edit.after["ceiling"]
    if not isinstance(ceiling, int) or needs_platform(row, ceiling):
        raise InvalidError(
            "above_group_ceiling", pointer="/after/ceiling", max=ceiling_above(row) or 0
        )


def _raises_ceiling_only(edit: QuotaEdit) -> bool:
    if edit.before is None or edit.after is None:
        return False
    others = {**edit.after, "ceiling": edit.before["ceiling"]}
    old, new = edit.before["ceiling"], edit.after["ceiling"]
    is_raised = isinstance(old, int) and (new is None or int(new) > old)
    return others == dict(edit.before) and is_raised
