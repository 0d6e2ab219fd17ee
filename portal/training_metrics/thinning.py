"""A line of a chart that never has more than so many points, however long it is fed; pure.

Each point stands for `stride` reported values: their mean, lowest and highest. When the line is full,
neighbouring points are merged and the stride doubles, so that a million steps stay as few points as a
thousand, evenly spread, and no spike is lost.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

POINTS_MAX: Final = 1536
"""Points that are kept of one line; at that many, neighbours are merged."""


class LinePoint(NamedTuple):
    """A point of a line; values are None where all of its reports were NaN or infinite."""

    step: int
    at_ms: int
    mean: float | None
    low: float | None
    high: float | None


@dataclass(slots=True)
class ThinnedLine:
    """A line, or its end from the point number `first` on."""

    points: list[LinePoint]
    stride: int = 1
    open_count: int = 0
    """Values that the last point stands for so far."""
    first: int = 0

    @property
    def length(self) -> int:
        """Points of the whole line."""
        return self.first + len(self.points)

    def add(self, step: int, at_ms: int, value: float | None) -> None:
        """Add a value, whose step is not below the last; a further one of the same step joins it.

        A full line must be here as a whole.
        """
        fresh = LinePoint(step, at_ms, value, value, value)
        last = self.points[-1] if self.points else None
        if last is not None and (self.open_count < self.stride or last.step == step):
            self.points[-1] = merge_points(last, self.open_count, fresh, 1)
            self.open_count += 1
            return
        if self.length >= POINTS_MAX:
            self._halve()
            self.add(step, at_ms, value)
            return
        self.points.append(fresh)
        self.open_count = 1

    def cut(self, step: int) -> None:
        """Remove every point from this step on; the line must be here as a whole."""
        self.points = [point for point in self.points if point.step < step]
        self.open_count = self.stride

    def _halve(self) -> None:
        self.points = _merge_pairs(self.points)
        self.open_count += self.stride
        self.stride *= 2


def merge_points(left: LinePoint, left_count: int, right: LinePoint, right_count: int) -> LinePoint:
    """Return one point for two neighbours, which stand for so many values."""
    return LinePoint(
        right.step,
        right.at_ms,
        _mean(left.mean, left_count, right.mean, right_count),
        _pick(min, left.low, right.low),
        _pick(max, left.high, right.high),
    )


def thin(points: Sequence[LinePoint], wanted: int) -> list[LinePoint]:
    """Return at most so many points for a chart, by merging neighbours."""
    found = list(points)
    while len(found) > max(wanted, 2):
        found = _merge_pairs(found)
    return found


def extremes(points: Iterable[LinePoint]) -> tuple[LinePoint | None, LinePoint | None]:
    """Return the points with the lowest and the highest value; None where there are none."""
    known = [point for point in points if point.low is not None]
    low = min(known, key=lambda point: point.low or 0.0, default=None)
    high = max(known, key=lambda point: point.high or 0.0, default=None)
    return low, high


def _merge_pairs(points: Sequence[LinePoint]) -> list[LinePoint]:
    merged = [
        merge_points(left, 1, right, 1)
        for left, right in zip(points[::2], points[1::2], strict=False)
    ]
    return [*merged, points[-1]] if len(points) % 2 else merged


def _mean(
    left: float | None, left_count: int, right: float | None, right_count: int
) -> float | None:
    if left is None or right is None:
        return left if right is None else right
    share = right_count / (left_count + right_count)
    return left * (1 - share) + right * share


def _pick(
    choose: Callable[[float, float], float], left: float | None, right: float | None
) -> float | None:
    if left is None or right is None:
        return left if right is None else right
    return choose(left, right)
