"""Quotas that the group above grants out of its own."""

from uuid import UUID

from django.db import transaction

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, InvalidError
from portal.quotas import selectors, services
from portal.quotas.models import Quota
from portal.tenancy import policies


def needs_platform(quota: Quota, ceiling: int) -> bool:
    """Return whether such a ceiling is more than the group above can grant out of its own."""
    above = ceiling_above(quota)
    return above is None or ceiling > above


def ceiling_above(quota: Quota) -> int | None:
    """Return the ceiling of the same quota of the group above; None where it has none."""
    same = Quota.objects.filter(
        group=quota.group.parent_id, pool=quota.pool_id, resource=quota.resource
    )
    return same.values_list("ceiling", flat=True).first()


@transaction.atomic
def grant_quota(*, actor: Actor, quota_id: UUID, ceiling: int) -> None:
    """Raise the ceiling of a group: its parent's admins up to their own, the platform's to any.

    The ceiling of the group above still bounds all groups below it together.
    """
    quota = selectors.quota_visible_to(actor, quota_id)
    if policies.can(actor, Action.QUOTA_EDIT, None):
        services.change_quota(actor=actor, quota_id=quota_id, changes={"ceiling": ceiling})
        return
    parent_id = quota.group.parent_id
    if parent_id is None or not policies.can(actor, Action.REQUEST_DECIDE, parent_id):
        raise DeniedError("denied", group_id=quota.group_id, action=Action.REQUEST_DECIDE.value)
    if needs_platform(quota, ceiling):
        raise InvalidError("above_group_limit", pointer="/ceiling", max=ceiling_above(quota) or 0)
    services.raise_ceiling(actor=actor, quota_id=quota_id, ceiling=ceiling)
