"""Priorities by name, and which of them someone may give."""

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from portal.common.actor import Actor
from portal.quotas.selectors import highest_priorities_for_system

PRIORITIES: Final[Mapping[str, int]] = {"low": -100, "normal": 0, "high": 100}
PRIORITY_NAMES: Final[Mapping[int, str]] = {number: name for name, number in PRIORITIES.items()}


def highest_priorities(actor: Actor) -> Callable[[UUID], str]:
    """Return a function from group to the name of the highest priority that the actor may give."""
    limits = highest_priorities_for_system(actor.user_id, actor.roles)
    return lambda group_id: PRIORITY_NAMES[limits.get(group_id, max(PRIORITY_NAMES))]
