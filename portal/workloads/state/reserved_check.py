"""Advance reservations at the moment of a commit: may this work have these devices, and until when."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from portal.common.clock import now, to_millis
from portal.reservations.selectors import KeptDevice, kept_devices_for_system
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.state.locked_rows import LockedWorkload
from scheduler.core.model.entities import Placement
from scheduler.core.model.plan import PlannedStart


class ReservedCheck:
    """What windows keep of the cards of a batch, read when these are locked.

    A reservation locks its cards before it is written, so none appears until the batch is committed.
    """

    def __init__(self, placements: Sequence[Placement]) -> None:
        """Read the windows, those that are open and those to come."""
        cards = {UUID(card) for placement in placements for card, _ in placement.devices}
        self._kept: dict[tuple[str, int], list[KeptDevice]] = {}
        for kept in kept_devices_for_system(cards) if cards else ():
            self._kept.setdefault((str(kept.accelerator_id), kept.slot), []).append(kept)

    def must_end_at(self, workload: LockedWorkload, place: PlannedStart) -> datetime | None:
        """Return when the work must have left, besides its time limit; None if no window follows.

        Raises:
            PlacementRefusedError: a window keeps one of the devices from this work.
        """
        found = [
            kept
            for placement in place.placements
            for card, slot in placement.devices
            for kept in self._kept.get((card, slot), ())
        ]
        if place.reservation is not None:
            return _end_inside(found, UUID(place.reservation))
        if not found:
            return None
        first = min(kept.starts_at for kept in found)
        if not workload.preemptible and _stays_until(first, workload.time_limit_s):
            until = max(kept.ends_at for kept in found)
            raise PlacementRefusedError("reserved", until_at=to_millis(until))
        # Preemptible work is evicted in time, if the reservation still stands then.
        return None if workload.preemptible else first


def _stays_until(moment: datetime, time_limit_s: int | None) -> bool:
    """Return whether work that starts now may still run then."""
    return time_limit_s is None or moment < now() + timedelta(seconds=time_limit_s)


def _end_inside(found: Collection[KeptDevice], reservation: UUID) -> datetime:
    """Return the end of the open window inside which the work starts."""
    moment = now()
    mine = [kept for kept in found if kept.reservation_id == reservation]
    opened = [kept.ends_at for kept in mine if kept.starts_at <= moment]
    if not opened:
        raise PlacementRefusedError("changed_meanwhile", state="")
    return max(opened)
