"""Advance reservations in the words of the scenarios."""

from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import AcceleratorView, GroupId, Millis, UserId
from tests.scheduler.phrases import Line


def read_reservation(
    line: Line, cards: tuple[AcceleratorView, ...], now: Millis
) -> AdvanceReservationView:
    """Reserve the first devices of its nodes, or of the card that it names."""
    nodes, card = line.after("on", "").split("+"), line.after("card", "")
    mine = [view for view in cards if view.node in nodes and (not card or view.index == int(card))]
    devices = [(view.node, view.id, slot) for view in mine for slot in range(view.slices)]
    if whole := line.amount("cards"):
        chosen = {view.id for view in mine[:whole]}
        devices = [device for device in devices if device[1] in chosen]
    else:
        devices = devices[: line.amount("slices")]
    start, end = line.number("from", 0) * 1000, line.number("to", 0) * 1000
    again = line.number("again after", 0) * 1000
    users = line.after("by", "")
    return AdvanceReservationView(
        id=ReservationId(line.name),
        name=line.name,
        pool=mine[0].pool,
        group=GroupId(line.after("for", "lab")),
        users=frozenset(UserId(user) for user in users.split("+") if user),
        devices=tuple(devices),
        windows=tuple(
            ReservedWindow(Millis(now + start + later), Millis(now + end + later))
            for later in ((0, again) if again else (0,))
        ),
    )
