"""Adding and removing single quotas, with what belongs to them."""

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction

from portal.approvals.services import lock_requests_about
from portal.common.actor import Actor
from portal.quotas import changes as quotas
from portal.quotas.edits import QuotaSubject
from portal.quotas.models import Quota
from portal.workloads.uses import uses_for_system


def add_quota(
    *,
    actor: Actor,
    group_id: UUID,
    what: QuotaSubject,
    limits: Mapping[str, int | str | None],
) -> Quota:
    """Limit a group for one more resource; what it holds counts from the start."""
    return quotas.add_quota(
        actor=actor,
        group_id=group_id,
        what=what,
        limits=limits,
        read_uses=uses_for_system,
    )


@transaction.atomic
def remove_quota(*, actor: Actor, quota_id: UUID) -> None:
    """Remove a quota with the requests for more of it; those of the groups above remain."""
    lock_requests_about([quota_id])
    quotas.remove_quota(actor=actor, quota_id=quota_id)
