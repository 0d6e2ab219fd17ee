"""Pictures of runs: how busy the cards were, how long the queue was, how long work waited."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scheduler.whatif.metrics import Moment, Outcome

_DAY_MS: Final = 86_400_000
_POINTS: Final = 1500
"""Buckets along the time axis; each shows its mean."""


def draw(folder: str, outcomes: Mapping[str, Outcome]) -> None:
    """Write `utilisation`, `queue` and `waiting` as SVG and PNG into the folder, one line a policy.

    Raises:
        OSError: the folder cannot be written.
        ValueError: the drawing library is not installed here.
    """
    plt = pyplot()
    Path(folder).mkdir(parents=True, exist_ok=True)
    _over_time(plt, folder, "utilisation", "cards held, %", outcomes)
    _over_time(plt, folder, "queue", "workloads waiting", outcomes)
    figure, axes = plt.subplots(figsize=(11, 4), layout="constrained")
    for name, outcome in outcomes.items():
        waits = sorted(max(record.idle_s, 1.0) for record in outcome.finished)
        parts = [100 * (place + 1) / len(waits) for place in range(len(waits))]
        axes.plot(waits, parts, label=name, lw=1)
    axes.set(xscale="log", xlabel="time without cards, s", ylabel="% of workloads at most")
    axes.legend()
    save(plt, figure, folder, "waiting")


def _over_time(
    plt: Any, folder: str, name: str, unit: str, outcomes: Mapping[str, Outcome]
) -> None:
    figure, axes = plt.subplots(figsize=(11, 4), layout="constrained")
    for policy, outcome in outcomes.items():
        rows = buckets(outcome, _POINTS)
        days = [(at - outcome.began_ms) / _DAY_MS for at, _, _ in rows]
        values = [100 * busy / max(outcome.cards, 1) for _, busy, _ in rows]
        if name == "queue":
            values = [waiting for _, _, waiting in rows]
        axes.plot(days, values, label=policy, lw=1)
    axes.set(xlabel="day", ylabel=unit)
    axes.legend()
    save(plt, figure, folder, name)


def buckets(outcome: Outcome, points: int) -> list[tuple[int, float, float]]:
    """Return (begin in ms, mean cards held, mean queue length) of equal stretches of the run."""
    length = max((outcome.ended_ms - outcome.began_ms) // points, 1)
    busy = _means(outcome, length, [moment.cards_busy for moment in outcome.moments])
    waiting = _means(outcome, length, [moment.waiting for moment in outcome.moments])
    return [
        (outcome.began_ms + place * length, *pair)
        for place, pair in enumerate(zip(busy, waiting, strict=True))
    ]


def _means(outcome: Outcome, length: int, values: Sequence[int]) -> list[float]:
    """Return the time-weighted mean of a step function in each bucket."""
    count = -(-(outcome.ended_ms - outcome.began_ms) // length)
    sums = [0.0] * count
    moments: Sequence[Moment] = outcome.moments
    for moment, after, value in zip(moments, moments[1:], values, strict=False):
        start, end = moment.at_ms - outcome.began_ms, after.at_ms - outcome.began_ms
        while start < end:
            place = start // length
            stop = min((place + 1) * length, end)
            sums[place] += value * (stop - start)
            start = stop
    return [total / length for total in sums]


def pyplot() -> Any:
    """Return the drawing library; raise ValueError where it is not installed."""
    try:
        importlib.import_module("matplotlib").use("Agg")
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ValueError("charts need matplotlib (requirements-dev.txt)") from error


def save(plt: Any, figure: Any, folder: str, name: str) -> None:
    """Write a figure as SVG and PNG into the folder."""
    for kind in ("svg", "png"):
        figure.savefig(Path(folder) / f"{name}.{kind}", dpi=120)
    plt.close(figure)
