"""Adding quotas, with what the group already holds counted from the start."""

from collections.abc import Mapping
from uuid import UUID

from portal.common.actor import Actor
from portal.quotas import services as quotas
from portal.quotas.models import Quota
from portal.quotas.services import QuotaSubject
from portal.workloads.selectors import uses_for_system


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
