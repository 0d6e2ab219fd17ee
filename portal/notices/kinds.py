"""What notices are about, as people choose by which ways they come. Pure."""

from collections.abc import Collection, Mapping
from typing import Final

NOTICE_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "idle": frozenset({"idle_warned_release", "idle_warned_stop"}),
    "requests": frozenset(
        {"request_waits", "request_approved", "request_declined", "request_expired"}
    ),
    "leavers": frozenset({"member_left", "member_left_stops", "work_handed_over"}),
    "started": frozenset({"work_started", "works_started"}),
    "succeeded": frozenset({"work_succeeded", "works_succeeded"}),
    "failed": frozenset(
        {
            *("work_failed", "works_failed", "work_exited"),
            *("work_expired", "works_expired", "work_cancelled", "works_cancelled"),
        }
    ),
    "evictions": frozenset({"work_evicted", "works_evicted", "work_braked"}),
    "requeued": frozenset({"work_requeued", "works_requeued"}),
    "changed": frozenset({"work_changed", "works_changed"}),
    "lost": frozenset({"work_lost", "works_lost"}),
    "waiting": frozenset({"work_waits", "works_wait"}),
    "shares": frozenset({"environment_shared", "app_shared", "training_shared"}),
    "reservations": frozenset({"reservation_short"}),
    "datasets": frozenset({"dataset_published", "dataset_publish_failed"}),
    "images": frozenset({"images_expire"}),
    "alarms": frozenset({"alarm_fired", "alarms_fired"}),
}
"""Codes of messages by what they are about. People choose by kind what comes, and by which way."""
QUIET: Final = frozenset({"started", "succeeded", "requeued", "waiting"})
"""Kinds that come by no way until a person turns them on; all others come until they are turned off."""
KIND_OF_NOTICE: Final = {code: kind for kind, codes in NOTICE_KINDS.items() for code in codes}


def turn(kinds: Collection[str]) -> frozenset[str]:
    """Return which kinds are off once a person has turned these; the same the other way around."""
    return frozenset(kinds) ^ QUIET
