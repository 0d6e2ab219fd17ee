"""What advance reservations keep aside: promises to others count it as held by their groups."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    PoolView,
)


class Aside(NamedTuple):
    """GPUs that an advance reservation keeps for a group in a pool, and that no work holds."""

    group: GroupId
    pool: PoolId
    gpu_milli: int


class KeptAside(NamedTuple):
    """What the first reservations of a pool, by their next start, keep aside together."""

    level: int
    """How many of them."""
    asides: tuple[Aside, ...]
    """One for each group."""


class AsideTable:
    """What is kept aside from each workload; equal levels share one answer."""

    def __init__(
        self,
        asides: Mapping[PoolId, tuple[Aside, ...]],
        level_of: Callable[[PendingWorkload], int],
    ) -> None:
        """Take what each reservation of a pool keeps, by their next start, and from how many work is kept."""
        self._asides: Final = asides
        self._level_of: Final = level_of
        self._known: Final[dict[tuple[PoolId, int], KeptAside]] = {}

    def kept_from(self, workload: PendingWorkload) -> KeptAside:
        """Return what is kept aside from a workload in its own pool."""
        key = workload.pool, self._level_of(workload)
        kept = self._known.get(key)
        if kept is None:
            pool, level = key
            kept = KeptAside(level, _merge_by_group(self._asides[pool][:level]))
            self._known[key] = kept
        return kept


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


def _merge_by_group(asides: Iterable[Aside]) -> tuple[Aside, ...]:
    """Return what each group has kept in each pool."""
    total: Counter[tuple[GroupId, PoolId]] = Counter()
    for aside in asides:
        total[aside.group, aside.pool] += aside.gpu_milli
    return tuple(Aside(group, pool, milli) for (group, pool), milli in total.items() if milli)
