"""Advance reservations for the snapshot."""

from collections import defaultdict
from uuid import UUID

from portal.common.clock import to_millis
from portal.reservations import selectors
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.advance_reservations import (
    ReservedDevice as DeviceView,
)
from scheduler.core.model.entities import (
    AcceleratorId,
    GroupId,
    Millis,
    NodeId,
    PoolId,
    UserId,
)


def load_reservations() -> tuple[AdvanceReservationView, ...]:
    """Return every advance reservation that is not over, with its windows and devices."""
    windows: defaultdict[UUID, list[ReservedWindow]] = defaultdict(list)
    first: dict[UUID, UUID] = {}
    for reservation, window, start, end in selectors.windows_ahead_for_system():
        first.setdefault(reservation, window)
        windows[reservation].append(
            ReservedWindow(Millis(to_millis(start)), Millis(to_millis(end)))
        )
    if not windows:
        return ()
    devices: defaultdict[UUID, list[DeviceView]] = defaultdict(list)
    # Every window of a reservation keeps the same devices.
    for reservation, node, card, slot in selectors.devices_of_windows_for_system(
        list(first.values())
    ):
        devices[reservation].append((NodeId(str(node)), AcceleratorId(str(card)), slot))
    rows = selectors.unfinished_for_system().order_by("id")
    columns = ("id", "name", "pool", "group", "user_ids")
    return tuple(
        AdvanceReservationView(
            id=ReservationId(str(key)),
            name=name,
            pool=PoolId(str(pool)),
            group=GroupId(str(group)),
            users=frozenset(UserId(str(user)) for user in users),
            devices=tuple(devices[key]),
            windows=tuple(windows[key]),
        )
        for key, name, pool, group, users in rows.values_list(*columns)
        if key in windows
    )
