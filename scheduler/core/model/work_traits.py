"""What decisions ask about work instead of the name of its kind."""

from dataclasses import dataclass
from enum import StrEnum


class EvictAs(StrEnum):
    """What becomes of work that must leave before it has ended."""

    QUEUED = "queued"
    """It waits again, and begins from the start; so only preemptible work is stopped."""
    SUSPENDED = "suspended"
    """Its files stay where they are: a reservation that ends may stop it even if it is not preemptible."""


@dataclass(frozen=True, slots=True)
class WorkTraits:
    """The traits of one kind of work; the defaults are those of a job."""

    may_borrow: bool = True
    """Preemptible work of this kind may run on the cards of other pools."""
    guaranteed: bool = False
    """It is not evicted while it is inside a guarantee of its group."""
    evict_as: EvictAs = EvictAs.QUEUED
    open_end: bool = False
    """It has no time limit: only somebody, or a rule that evicts it, ends it."""


JOB = WorkTraits()
