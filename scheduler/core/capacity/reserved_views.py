"""The capacity views of work that advance reservations keep from some devices, and of work inside them."""

from typing import Final

from scheduler.core.capacity.reserved_devices import ReservedCapacity
from scheduler.core.capacity.views import CapacityView, ViewsByPool
from scheduler.core.model.advance_reservations import AdvanceReservationView
from scheduler.core.model.entities import PoolId
from scheduler.core.model.snapshot import Snapshot


class ReservedViews:
    """Views derived from what is free and unreserved; each is made when first asked for."""

    def __init__(self, snapshot: Snapshot, free: ViewsByPool, unreserved: ViewsByPool) -> None:
        """Derive nothing yet."""
        self.reserved: Final = ReservedCapacity(snapshot)
        self._free: Final = free
        self._unreserved: Final = unreserved
        self._derived: Final[dict[tuple[object, ...], CapacityView]] = {}

    def clear(self) -> None:
        """Forget every view: other devices are kept than before."""
        for views in (self._free, self._unreserved):
            for view in views.values():
                view.drop_derived()
        self._derived.clear()

    def at_level(self, pool: PoolId, level: int, *, backfills: bool) -> CapacityView:
        """Return what a level leaves of what is unreserved; with `backfills`, of what is free."""
        base = self._free[pool] if backfills else self._unreserved[pool]
        if not level:
            return base
        key = (pool, level, backfills)
        if key not in self._derived:
            without = self.reserved.without_level
            self._derived[key] = base.derive(lambda node: without(pool, level, base[node]))
        return self._derived[key]

    def inside(self, reservation: AdvanceReservationView) -> CapacityView:
        """Return what work of an open advance reservation may use of its devices."""
        key = (reservation.id,)
        if key not in self._derived:
            free, unreserved = self._free[reservation.pool], self._unreserved[reservation.pool]
            inside = self.reserved.inside
            self._derived[key] = free.derive(
                lambda node: inside(reservation, free[node], unreserved[node]), unreserved
            )
        return self._derived[key]
