"""Other devices for advance reservations whose own have failed, or a word that some are missing."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.common.errors import ConflictError
from portal.reservations import selectors, services
from portal.reservations.models import AdvanceReservation
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.reserving import lock_for_move, renew_ends
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservedDevice,
    ReservedWindow,
)
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reserve_devices import replace_devices

TRIES: Final = 3
"""How often devices are chosen again because other work got one of them meanwhile."""
KEEPER: Final = Actor.system("reservations")


def replace_failed_devices() -> int:
    """Give reservations other devices for those that failed; return how many reservations got some.

    A device is replaced only if no promise breaks by it. Where none is left the reservation says how
    much of it is missing, and is tried again at the next call.
    """
    return sum(_replace_failed(row) for row in selectors.reservations_to_mend_for_system())


def _replace_failed(row: AdvanceReservation) -> bool:
    for _ in range(TRIES):
        snapshot = load_snapshot()
        try:
            return _choose_and_move(row, snapshot)
        except ConflictError:
            continue
    return False


def _choose_and_move(row: AdvanceReservation, snapshot: Snapshot) -> bool:
    view = next((each for each in snapshot.reservations if each.id == str(row.pk)), None)
    if view is None:
        return False
    failed = selectors.failed_devices_for_system(row.pk)
    kept = tuple(device for device in view.devices if _key(device) not in failed)
    held = len({card for _, card, _ in kept}) if row.gpus else len(kept)
    missing = max((row.gpus or row.slices) - held, 0)
    if not missing:
        services.note_missing(actor=KEEPER, reservation_id=row.pk, missing=0)
        return False
    wanted = _from_now(view, snapshot)
    choice = replace_devices(snapshot, wanted, missing, kept=kept, whole=bool(row.gpus))
    if not choice.devices:
        services.note_missing(actor=KEEPER, reservation_id=row.pk, missing=missing)
        return False
    _move(row, wanted, failed, choice.devices[len(kept) :], snapshot)
    return True


@transaction.atomic
def _move(
    row: AdvanceReservation,
    wanted: AdvanceReservationView,
    failed: Collection[tuple[UUID, int]],
    chosen: Sequence[ReservedDevice],
    snapshot: Snapshot,
) -> None:
    """Move the reservation, if nothing has got one of the devices since the snapshot."""
    named = {(card, slot) for _, card, slot in chosen}
    holders = [
        UUID(work.id)
        for work in snapshot.running
        if any(device in named for place in work.placements for device in place.devices)
    ]
    devices = {_key(device) for device in chosen}
    opens = from_millis(wanted.windows[0].start)
    freed = lock_for_move(failed, devices, holders=holders, must_end_at=opens)
    services.move_devices(actor=KEEPER, reservation_id=row.pk, failed=failed, chosen=devices)
    renew_ends(freed)


def _from_now(view: AdvanceReservationView, snapshot: Snapshot) -> AdvanceReservationView:
    """Return the reservation without devices, with what is left of its windows."""
    now = snapshot.taken_at
    ahead = [window for window in view.windows if window.end > now]
    windows = tuple(ReservedWindow(max(window.start, now), window.end) for window in ahead)
    return replace(view, devices=(), windows=windows)


def _key(device: ReservedDevice) -> tuple[UUID, int]:
    _, card, slot = device
    return UUID(card), slot
