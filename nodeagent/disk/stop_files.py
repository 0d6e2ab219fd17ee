"""The files of one container that say how it stops: what was announced, what was ordered.

Both outlive the agent: the next one continues with the stop where it was. Standard library only, because
the shim of every container imports this.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from nodeagent.core.state import GracePeriod, PendingStop
from nodeagent.disk.atomic_json import read_json, reserve_room, write_json, write_or_use_room
from nodeagent.disk.forward_compat import from_known_fields, parse_cause
from wire.words import ExitCause

ORDER: Final = "stop.json"
ORDER_ROOM: Final = "stop.room"
ANNOUNCED: Final = "announced.json"
SIGNAL: Final = "signal.json"


@dataclass(frozen=True, slots=True)
class StopOrder:
    """An order to stop: SIGTERM at once, SIGKILL at `deadline`, in milliseconds since boot."""

    cause: ExitCause
    deadline: int


def _parse_order(content: Any) -> StopOrder | None:
    if content is None:
        return None
    return StopOrder(parse_cause(content["cause"]), content["deadline"])


class StopFiles:
    """Typed access to these files; every write replaces a file whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write_order(self, cause: ExitCause, deadline: int) -> StopOrder:
        """Write an order to stop; a later order may bring its deadline forward, never delay it."""
        earlier = self.read_order()
        if earlier is not None:
            cause, deadline = earlier.cause, min(deadline, earlier.deadline)
        content = {"cause": cause.value, "deadline": deadline}
        # A full disk must not keep work alive, nor end it before its grace is over.
        write_or_use_room(self._folder / ORDER, self._folder / ORDER_ROOM, content)
        return StopOrder(cause, deadline)

    def reserve_room(self) -> None:
        """Make sure that an order can be written to a full disk."""
        reserve_room(self._folder / ORDER_ROOM)

    def read_order(self) -> StopOrder | None:
        """Return the order to stop, if one was given; of two, each of which was the whole, the earlier."""
        found = (_parse_order(read_json(self._folder / name)) for name in (ORDER, ORDER_ROOM))
        given = [order for order in found if order is not None]
        return min(given, key=lambda order: order.deadline, default=None)

    def write_signal(self, name: str) -> None:
        """Write an order to send the work this signal, once."""
        write_json(self._folder / SIGNAL, {"signal": name})

    def read_signal(self) -> str | None:
        """Return the signal that the work should get, if one was ordered."""
        content = read_json(self._folder / SIGNAL)
        return None if content is None else str(content["signal"])

    def write_announced(self, stop: PendingStop) -> None:
        """Write a stop of which the work is notified, before it is."""
        write_json(self._folder / ANNOUNCED, asdict(stop))

    def read_pending(self) -> PendingStop | None:
        """Return the stop that is under way, as far as it was announced or ordered."""
        order = self.read_order()
        if order is not None:
            return PendingStop(order.cause, 0, kill_at=order.deadline)
        content: dict[str, Any] | None = read_json(self._folder / ANNOUNCED)
        if content is None:
            return None
        notice = from_known_fields(GracePeriod, content["notice"])
        cause = parse_cause(content["cause"])
        return from_known_fields(PendingStop, {**content, "cause": cause, "notice": notice})
