"""The clock of PostgreSQL, as every process of the platform reads it.

A process asks for the time whenever it takes a connection, at most every few seconds, and counts on with
the steady clock of its host, which nobody can set. So all of them agree, and what the host of one of
them takes for the time decides nothing.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

READ_EVERY_S: Final = 10.0
"""How long a process counts on before it asks for the time again with its next connection."""
DRIFT: Final = 0.0002
"""By how much two steady clocks may run apart: 200 parts in a million."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the other clock said, when by the steady clock, and how far off that may be."""

    moment: datetime
    at_s: float
    error_s: float

    def count_on(self, until_s: float) -> datetime:
        return self.moment + timedelta(seconds=until_s - self.at_s)

    def doubt_s(self, until_s: float) -> float:
        return self.error_s + DRIFT * (until_s - self.at_s)


def _steady_s() -> float:
    """Return seconds since boot, including time in suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _wall() -> datetime:
    return datetime.now(UTC)


class SharedClock:
    """Follows the clock of PostgreSQL once it is ordered to; before, it is the clock of this host."""

    def __init__(
        self,
        steady_s: Callable[[], float] = _steady_s,
        wall: Callable[[], datetime] = _wall,
    ) -> None:
        """Count with a steady clock; `wall` is the time as long as nothing better is known."""
        self.steady_s = steady_s
        self._wall = wall
        self._ask: Callable[[], None] | None = None
        self._reading: _Reading | None = None

    def follow(self, ask: Callable[[], None] | None) -> None:
        """Go by readings from now on; `ask` takes the first one, and may do without. None ends it."""
        self._ask = ask
        self._reading = None

    def is_reading_due(self) -> bool:
        """Return whether the caller that takes a connection should ask for the time."""
        if self._ask is None:
            return False
        reading = self._reading
        return reading is None or self.steady_s() - reading.at_s >= READ_EVERY_S

    def note(self, moment: datetime, asked_s: float, heard_s: float) -> None:
        """Learn what the other clock said at some time between two moments of the steady clock.

        An answer that took long says less than what is known, unless the clock has been set.
        """
        new = _Reading(moment, (asked_s + heard_s) / 2, (heard_s - asked_s) / 2)
        known = self._reading
        if known is not None:
            doubt_s = known.doubt_s(new.at_s)
            apart_s = abs((moment - known.count_on(new.at_s)).total_seconds())
            if new.error_s > doubt_s and apart_s <= doubt_s + new.error_s:
                return
        self._reading = new

    def now(self) -> datetime:
        """Return the time; the first call asks for it.

        Raises:
            DatabaseError: there is no reading, and the database is away.
        """
        if self._ask is not None and self._reading is None:
            self._ask()
        return self.best_now()

    def best_now(self) -> datetime:
        """Return the time as far as it is known, without asking."""
        reading = self._reading
        return self._wall() if reading is None else reading.count_on(self.steady_s())
