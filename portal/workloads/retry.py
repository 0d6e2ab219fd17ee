"""Whether work that ended badly is tried again: one pure decision.

An end that is not the work's own doing (the node lost it) never uses up a retry; an end of its
own does, until the limit that the user set is reached.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

INFRASTRUCTURE_CAUSES: Final = frozenset(
    {
        "isolation_unavailable",
        "device_lost",
        "node_fault",
        "node_rebooted",
        "lease_ended",
        "vanished",
        "container_missing",
        "not_started",
        "node_lost",
    }
)
"""Causes that lie with the node or the platform. The last three are the portal's own words."""


class Retry(StrEnum):
    """What becomes of work after a bad end."""

    FREE = "free"
    """Queue again; the end does not count."""
    COUNTED = "counted"
    """Queue again and count one retry."""
    FINAL = "final"
    """Give up."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often an end of the work's own may be repeated."""

    retries_max: int


def decide(policy: RetryPolicy, retries: int, cause: str) -> Retry:
    """Return what follows a bad end of this cause after `retries` counted repetitions."""
    if cause in INFRASTRUCTURE_CAUSES:
        return Retry.FREE
    return Retry.COUNTED if retries < policy.retries_max else Retry.FINAL
