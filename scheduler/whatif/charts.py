"""Pictures of runs: how busy the cards were, how long the queue was, how long work waited."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scheduler.whatif.curves import buckets
from scheduler.whatif.metrics import SimulationOutcome

_DAY_MS: Final = 86_400_000
_POINTS: Final = 1500
"""Buckets along the time axis; each shows its mean."""


def draw_outcomes(folder: str, outcomes: Mapping[str, SimulationOutcome]) -> None:
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
    plt: Any, folder: str, name: str, unit: str, outcomes: Mapping[str, SimulationOutcome]
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
