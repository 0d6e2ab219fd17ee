"""Advance reservations as the portal of the simulation makes and cancels them."""

from dataclasses import replace

from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservationId
from scheduler.core.model.entities import Millis
from scheduler.core.reserve_devices import choose_devices
from tests.simulation.cluster import TRAINING
from tests.simulation.server import Server
from tests.simulation.snapshot import snapshot_of
from tests.simulation.store import Store


def reserve(server: Server, wanted: AdvanceReservationView, count: int) -> bool:
    """Reserve cards or slices as the portal does; return whether promises left enough."""
    store, now = server.store, Millis(server.loop.now)
    store.reservations = [each for each in store.reservations if each.next_window(now) is not None]
    snapshot = snapshot_of(store, server.loop.now, server.bugs)
    whole = wanted.pool == TRAINING
    devices = choose_devices(snapshot, wanted, count, whole=whole).devices
    if not server.is_up or not devices:
        return False
    store.reservations.append(replace(wanted, devices=devices))
    held, start = set(devices), wanted.windows[0].start
    for allocation in store.allocations:
        row = store.workloads[allocation.workload]
        own = {(allocation.node, d.accelerator, d.slot) for d in allocation.devices}
        if own & held and not row.preemptible:
            row.must_end_at = min(row.must_end_at or start, start)
    return True


def cancel_reservation(store: Store, reservation: ReservationId) -> None:
    """Give back what is reserved."""
    store.reservations = [each for each in store.reservations if each.id != reservation]
