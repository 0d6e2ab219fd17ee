"""Which model forecasts a series, by back-testing on its own past, and how wide its intervals must be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Final

from scheduler.forecast.seasonal import DAY, PointModel, seasonal_median, seasonal_naive

NAIVE: Final = "seasonal_naive"
SEASONAL: Final[dict[str, PointModel]] = {NAIVE: seasonal_naive, "seasonal_median": seasonal_median}
TESTED_DAYS: Final = 7
BETTER_PERMILLE: Final = 980
"""A model replaces naive only if its error is at most so much of naive's."""
COVERED_PERMILLE: Final = 900
"""The interval holds so often."""
TRUSTED_PERMILLE: Final = 500
"""With a larger error over the mean demand a forecast says too little to act on."""


@dataclass(frozen=True, slots=True)
class ModelAccuracy:
    """How a model did on days that it had not seen."""

    model: str
    error_milli: int
    """Mean absolute error of an hour, in thousandths."""
    against_naive_permille: int
    """The error over that of naive; less than 1,000 is better."""
    width_milli: int
    """Half an interval over the root of the forecast, so that it holds as often as promised."""
    hours: int
    """Tested on so many."""
    mean_milli: int = 0
    """Mean demand of these hours, in thousandths."""

    @property
    def error_permille(self) -> int:
        """The error over the mean demand; 1,000 where there was none."""
        return 1000 * self.error_milli // self.mean_milli if self.mean_milli else 1000

    @property
    def is_trusted(self) -> bool:
        """Whether a forecast of this accuracy says enough to act on."""
        return self.error_permille <= TRUSTED_PERMILLE


@dataclass(frozen=True, slots=True)
class DemandForecast:
    """The next hours of one series."""

    model: str
    low: tuple[int, ...]
    middle: tuple[int, ...]
    high: tuple[int, ...]


def back_tested(past: Sequence[int], models: Mapping[str, PointModel]) -> list[ModelAccuracy]:
    """Forecast each of the last days from what lay before it; naive stands first.

    Returns an empty list when less than three days are known.
    """
    days = min(TESTED_DAYS, len(past) // DAY - 2)
    if days < 1:
        return []
    origins = [len(past) - day * DAY for day in range(days, 0, -1)]
    naive_error = 0
    mean = 1000 * sum(past[origins[0] :]) // (days * DAY)
    found = []
    for name, model in {NAIVE: seasonal_naive, **models}.items():
        misses: list[int] = []
        widths: list[int] = []
        for origin in origins:
            told = model(past[:origin], DAY)
            for said, came in zip(told, past[origin : origin + DAY], strict=True):
                misses.append(abs(said - came))
                widths.append(1000 * abs(said - came) // _spread(said))
        error = 1000 * sum(misses) // len(misses)
        naive_error = naive_error or max(1, error)
        against_naive = 1000 * error // naive_error
        found.append(
            ModelAccuracy(name, error, against_naive, _conformal(widths), len(misses), mean)
        )
    return found


def chosen(tested: Sequence[ModelAccuracy]) -> ModelAccuracy | None:
    """Return the model with the least error, naive unless another is clearly better."""
    if not tested:
        return None
    best = min(tested, key=lambda each: each.error_milli)
    return best if best.against_naive_permille <= BETTER_PERMILLE else tested[0]


def forecast(
    past: Sequence[int], ahead: int, model: PointModel, accuracy: ModelAccuracy
) -> DemandForecast:
    """Return the next hours with the interval that held on the tested days."""
    middle = model(past, ahead)
    margins = [accuracy.width_milli * _spread(hour) // 1000 for hour in middle]
    return DemandForecast(
        accuracy.model,
        tuple(max(0, hour - margin) for hour, margin in zip(middle, margins, strict=True)),
        tuple(middle),
        tuple(hour + margin for hour, margin in zip(middle, margins, strict=True)),
    )


def _spread(said: int) -> int:
    """What errors grow with: the root of a count."""
    return 1 + isqrt(said)


def _conformal(widths: Sequence[int]) -> int:
    """The width that held `COVERED_PERMILLE` of the time, with the correction for few tests."""
    ordered = sorted(widths)
    rank = -(-(len(ordered) + 1) * COVERED_PERMILLE // 1000)
    return ordered[min(rank, len(ordered)) - 1]
