"""What GPUs cost: prices by model and day, and the one rule by which amounts become money."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from portal.quotas.models import GpuPrice

MICROS: Final = 10**6
_MILLI_MS_PER_HOUR: Final = 1000 * 3600 * 1000
_HUNDREDTH: Final = MICROS // 100


class PriceList:
    """The prices of every model, found by day."""

    def __init__(self, rows: Sequence[GpuPrice]) -> None:
        """Order the prices of each model by their first day."""
        self._by_model: Mapping[str, list[GpuPrice]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: row.valid_from):
            self._by_model[row.model].append(row)

    def find(self, model: str, day: date) -> GpuPrice | None:
        """Return the price of a model on a day; None if it had none."""
        rows = self._by_model.get(model, [])
        place = bisect_right(rows, day, key=lambda row: row.valid_from)
        return rows[place - 1] if place else None

    def cost(self, model: str, day: date, currency: str, gpu_milli_ms: int) -> int | None:
        """Return what GPU time of one day costs in a currency; None without such a price.

        In millionths for an hour × thousandths of a GPU × milliseconds, so that nothing is rounded.
        """
        price = self.find(model, day)
        if price is None or price.currency != currency:
            return None
        return price.hourly_micros * gpu_milli_ms

    def dearest(self, model: str, first: date, last: date, currency: str) -> int | None:
        """Return the highest price of a model on these days, in millionths for an hour.

        None if it has none in this currency on some of them.
        """
        rows = self._by_model.get(model, [])
        later = [row for row in rows if first < row.valid_from <= last]
        found = [price for price in (self.find(model, first), *later) if price is not None]
        if self.find(model, first) is None or any(row.currency != currency for row in found):
            return None
        return max(row.hourly_micros for row in found)

    def changes(self) -> list[date]:
        """Return the days on which some price begins."""
        return sorted({row.valid_from for rows in self._by_model.values() for row in rows})


def load_prices_for_system() -> PriceList:
    """Return all prices; everyone may see what an hour costs."""
    return PriceList(list(GpuPrice.objects.order_by("id")))


def round_cost(cost: int) -> int:
    """Return a cost in millionths of the currency, rounded to the nearest hundredth of it."""
    step = _MILLI_MS_PER_HOUR * _HUNDREDTH
    return (cost + step // 2) // step * _HUNDREDTH


def ceil_cost(cost: int) -> int:
    """Return a cost in whole millionths of the currency, rounded up."""
    return -(-cost // _MILLI_MS_PER_HOUR)


def format_micros(micros: int) -> str:
    """Return an amount of money as a decimal number with two places, more only where it has them."""
    whole, rest = divmod(micros, MICROS)
    places = f"{rest:06d}".rstrip("0").ljust(2, "0")
    return f"{whole}.{places}"
