"""What advance reservations keep aside: promises to others count it as held by their groups."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.entities import AcceleratorId, GroupId, Millis, PoolId, PoolView


class Aside(NamedTuple):
    """GPUs that an advance reservation keeps for a group in a pool, and that no work holds."""

    group: GroupId
    pool: PoolId
    gpu_milli: int


def count_asides(
    reservations: Sequence[AdvanceReservationView],
    pool: PoolView,
    now: Millis,
    held: AbstractSet[tuple[AcceleratorId, int]],
) -> tuple[Aside, ...]:
    """Return what each reservation keeps aside; while it is open, without the devices that work holds."""
    per_device = 1000 // max(pool.slices_per_card, 1)
    return tuple(
        Aside(each.group, pool.id, per_device * _count_kept(each, now, held))
        for each in reservations
    )


def _count_kept(
    reservation: AdvanceReservationView, now: Millis, held: AbstractSet[tuple[AcceleratorId, int]]
) -> int:
    if not reservation.is_open(now):
        return len(reservation.devices)
    return sum((card, slot) not in held for _, card, slot in reservation.devices)
