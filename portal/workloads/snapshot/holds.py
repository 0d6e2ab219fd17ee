"""What people keep from starting: holds and begin times, as reasons of the engine."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from portal.common.clock import to_millis
from portal.workloads.models import Workload
from scheduler.core.model.entities import Millis
from scheduler.core.model.reasons import Reason, ReasonCode

_HOLDS: Final[Mapping[str, ReasonCode]] = {
    Workload.HeldBy.EVICTIONS: ReasonCode.HELD_AFTER_EVICTIONS,
    Workload.HeldBy.USER: ReasonCode.HELD_BY_USER,
    Workload.HeldBy.GROUP_ADMIN: ReasonCode.HELD_BY_GROUP_ADMIN,
    Workload.HeldBy.OPERATOR: ReasonCode.HELD_BY_OPERATOR,
    Workload.HeldBy.NEW_OWNER: ReasonCode.HELD_FOR_NEW_OWNER,
}
OWNER_REASON: Final = (Reason(ReasonCode.OWNER_MAY_NOT_SUBMIT),)
"""Of work whose owner may not submit to its group any more."""


def reason_of_hold(held_by: str) -> tuple[Reason, ...]:
    """Return the reason of a hold; none without one."""
    return (Reason(_HOLDS[held_by]),) if held_by else ()


def reason_of_begin_time(begins_at: Millis | None, now: Millis) -> tuple[Reason, ...]:
    """Return the reason of a begin time that is still to come."""
    if begins_at is None or begins_at <= now:
        return ()
    return (Reason(ReasonCode.WAITING_FOR_BEGIN_TIME, {"begins_at": begins_at}),)


def queue_holds(held_by: str, not_before: datetime | None, now: Millis) -> tuple[Reason, ...]:
    """Return both reasons from the columns of a workload."""
    begins_at = None if not_before is None else Millis(to_millis(not_before))
    return (*reason_of_hold(held_by), *reason_of_begin_time(begins_at, now))
