"""What a measurement says, what it must not exceed, and how both are printed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from time import process_time


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table: the platform beside its floor."""

    name: str
    unit: str
    floor: float | None
    platform: float
    verdict: float
    """Ratio, difference or value: what `limit` bounds."""
    limit: float

    @property
    def is_met(self) -> bool:
        """Return whether the promise is kept."""
        return self.verdict <= self.limit


def ratio(
    name: str, unit: str, floor: Sequence[float], platform: Sequence[float], limit: float
) -> Figure:
    """Compare medians: how many times the floor the platform takes."""
    bare, ours = median(floor), median(platform)
    return Figure(name, unit, bare, ours, ours / bare, limit)


def extra(
    name: str, unit: str, floor: Sequence[float], platform: Sequence[float], limit: float
) -> Figure:
    """Compare 95th percentiles: what the platform takes beyond the floor."""
    bare, ours = p95(floor), p95(platform)
    return Figure(name, unit, bare, ours, ours - bare, limit)


def bounded(name: str, unit: str, values: Sequence[float], limit: float) -> Figure:
    """Hold a 95th percentile against its limit."""
    value = p95(values)
    return Figure(name, unit, None, value, value, limit)


def pace_ms(rounds: int = 5) -> float:
    """Return the CPU that a fixed piece of work takes now: shared machines are slower in some hours."""
    tries = []
    for _ in range(rounds):
        began = process_time()
        sum(number * number for number in range(1_000_000))
        tries.append(1000 * (process_time() - began))
    return median(tries)


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile, interpolated."""
    return quantiles(values, n=20, method="inclusive")[-1]


def table(figures: Sequence[Figure]) -> str:
    """Lay the figures out for a terminal."""
    lines = [f"{'':<46}{'floor':>10}{'platform':>10}{'result':>9}{'limit':>8}"]
    for figure in figures:
        floor = "-" if figure.floor is None else f"{figure.floor:.2f}"
        lines.append(
            f"{figure.name + ' [' + figure.unit + ']':<46}{floor:>10}{figure.platform:>10.2f}"
            f"{figure.verdict:>9.2f}{figure.limit:>8.2f}  {'ok' if figure.is_met else 'MISSED'}"
        )
    return "\n".join(lines)


def write_json(figures: Sequence[Figure], path: Path) -> None:
    """Keep the figures for scripts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = [{**asdict(figure), "is_met": figure.is_met} for figure in figures]
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
