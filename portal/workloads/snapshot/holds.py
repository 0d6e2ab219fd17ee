"""What people keep from starting: holds and begin times, as reasons of the engine."""

from datetime import datetime

from portal.common.clock import to_millis
from scheduler.core.model.entities import Millis
from scheduler.core.model.reasons import Reason, ReasonCode


def reason_of_hold(held_by: str) -> tuple[Reason, ...]:
    """Return the reason of a hold; none without one."""
    return (Reason(ReasonCode(f"held_by_{held_by}")),) if held_by else ()


def reason_of_begin_time(begins_at: Millis | None, now: Millis) -> tuple[Reason, ...]:
    """Return the reason of a begin time that is still to come."""
    if begins_at is None or begins_at <= now:
        return ()
    return (Reason(ReasonCode.WAITING_FOR_BEGIN_TIME, {"begins_at": begins_at}),)


def queue_holds(held_by: str, not_before: datetime | None, now: Millis) -> tuple[Reason, ...]:
    """Return both reasons from the columns of a workload."""
    begins_at = None if not_before is None else Millis(to_millis(not_before))
    return (*reason_of_hold(held_by), *reason_of_begin_time(begins_at, now))
