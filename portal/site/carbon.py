"""Carbon factors of the site: grams of CO2e for a kilowatt-hour by the hour of its clock; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from portal.site.days import SiteCalendar

FACTOR_MAX: Final = 2000
"""Grams of CO2e for a kWh; the dirtiest grids are at about 1,000, cooling may be counted in."""
LENGTHS: Final = (1, 24)
"""One factor for all hours, or one for each hour of the day."""


@dataclass(frozen=True, slots=True)
class CarbonFactors:
    """The factors of all times: a change holds from the next full hour on, and changes no past."""

    calendar: SiteCalendar
    past: tuple[tuple[datetime, Sequence[int]], ...]
    """Factors that held until a moment, by that moment; empty while none was set."""
    present: Sequence[int]

    def at(self, moment: datetime) -> int | None:
        """Return the factor at a moment; None while none was set."""
        factors = next((each for until, each in self.past if moment < until), self.present)
        if not factors:
            return None
        return factors[0] if len(factors) == 1 else factors[self.calendar.hour_of(moment)]
