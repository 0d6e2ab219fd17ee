"""Priorities that end by themselves: "urgent until Friday"."""

from typing import Final

from scheduler.core.model.entities import Millis

NORMAL_PRIORITY: Final = 0


def effective_priority(priority: int, until: Millis | None, now: Millis) -> int:
    """Return the priority that counts at `now`: normal again from `until` on; None never ends."""
    return priority if until is None or now < until else NORMAL_PRIORITY
