"""Advance reservations: devices that a group has from one time to another (Slurm: reservations).

The devices are chosen when the reservation is made and stay the same in every window of it, so whether
work may use one is a question about that device alone.
"""

from dataclasses import dataclass
from typing import NewType

from scheduler.core.model.entities import AcceleratorId, GroupId, Millis, NodeId, PoolId, UserId

ReservationId = NewType("ReservationId", str)
ReservedDevice = tuple[NodeId, AcceleratorId, int]
"""Node, card and slot; slot 0 is a whole card where cards are not cut into slices."""


@dataclass(frozen=True, slots=True, order=True)
class ReservedWindow:
    """One stretch of time of a reservation; its end is not part of it."""

    start: Millis
    end: Millis

    def __post_init__(self) -> None:
        """Refuse a window that ends before it begins."""
        if self.end <= self.start:
            raise ValueError("a reserved window ends after its start")


@dataclass(frozen=True, slots=True)
class AdvanceReservationView:
    """Devices of one pool that only a group, or some users of it, may use in each window."""

    id: ReservationId
    name: str
    pool: PoolId
    group: GroupId
    """The group, with all groups below it."""
    devices: tuple[ReservedDevice, ...]
    windows: tuple[ReservedWindow, ...]
    """By start; none overlaps another."""
    users: frozenset[UserId] = frozenset()
    """Members that it is for; empty is every member of the group."""

    def next_window(self, now: Millis) -> ReservedWindow | None:
        """Return the window that is open, else the next one; None if all are over."""
        return next((window for window in self.windows if window.end > now), None)

    def ends_at(self, now: Millis) -> Millis:
        """Return when the window that is open, or the next one, ends; now if all are over."""
        window = self.next_window(now)
        return window.end if window else now

    def is_open(self, now: Millis) -> bool:
        """Return whether one of its windows is open."""
        window = self.next_window(now)
        return window is not None and window.start <= now
