"""What notices are about, as people choose by which ways they come. Pure."""

from collections.abc import Mapping
from typing import Final

NOTICE_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "idle": frozenset({"idle_warned_release", "idle_warned_stop"}),
    "requests": frozenset(
        {"request_waits", "request_approved", "request_declined", "request_expired"}
    ),
    "leavers": frozenset({"member_left", "member_left_stops", "work_handed_over"}),
    "evictions": frozenset({"work_braked"}),
    "shares": frozenset({"environment_shared", "app_shared", "training_shared"}),
    "reservations": frozenset({"reservation_short"}),
    "datasets": frozenset({"dataset_published", "dataset_publish_failed"}),
    "images": frozenset({"images_expire"}),
    "alarms": frozenset({"alarm_fired", "alarms_fired"}),
}
"""Codes of messages by what they are about. People choose by kind what comes by mail."""
KIND_OF_NOTICE: Final = {code: kind for kind, codes in NOTICE_KINDS.items() for code in codes}
