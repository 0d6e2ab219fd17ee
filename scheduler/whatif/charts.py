"""Charts of simulation runs: GPUs held, queue length, waiting times, and the weeks of a story."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scheduler.whatif.curves import buckets
from scheduler.whatif.meter import Stretch
from scheduler.whatif.metrics import SimulationOutcome
from scheduler.whatif.people import WEEK_MS
from scheduler.whatif.scenario import Scenario

_DAY_MS: Final = 86_400_000
_HOUR_MS: Final = 3_600_000
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
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
    _over_time(plt, folder, "utilisation", "GPUs held, %", outcomes)
    _over_time(plt, folder, "queue", "workloads waiting", outcomes)
    figure, axes = plt.subplots(figsize=(11, 4), layout="constrained")
    for name, outcome in outcomes.items():
        waits = sorted(max(record.idle_s, 1.0) for record in outcome.finished)
        parts = [100 * (place + 1) / len(waits) for place in range(len(waits))]
        axes.plot(waits, parts, label=name, lw=1)
    axes.set(xscale="log", xlabel="time without GPUs, s", ylabel="% of workloads at most")
    axes.legend()
    save(plt, figure, folder, "waiting")


def _over_time(
    plt: Any, folder: str, name: str, unit: str, outcomes: Mapping[str, SimulationOutcome]
) -> None:
    figure, axes = plt.subplots(figsize=(11, 4), layout="constrained")
    for policy, outcome in outcomes.items():
        rows = buckets(outcome, _POINTS)
        days = [(at - outcome.began_ms) / _DAY_MS for at, _, _ in rows]
        values = [100 * busy / max(outcome.gpus, 1) for _, busy, _ in rows]
        if name == "queue":
            values = [waiting for _, _, waiting in rows]
        axes.plot(days, values, label=policy, lw=1)
    axes.set(xlabel="day", ylabel=unit)
    axes.legend()
    save(plt, figure, folder, name)


def draw_weeks(
    folder: str, scenario: Scenario, before: Sequence[Stretch], after: Sequence[Stretch]
) -> None:
    """Write `week.png` and `week.svg` into the folder, which is made."""
    plt = pyplot()
    figure, rows = plt.subplots(3, 1, figsize=(11, 8), sharex=True, layout="constrained")
    regimes = ((scenario.before.title, before), (scenario.after.title, after))
    for axes, (title, stretches) in zip(rows, regimes, strict=False):
        week = _last_week(stretches)
        hours = [(s.from_ms - week[0].from_ms) / _HOUR_MS for s in week]
        axes.stackplot(
            hours,
            [s.by_notebooks for s in week],
            [s.by_training for s in week],
            labels=["held by notebooks", "held by training"],
            colors=["#7aa6c2", "#d9a05b"],
            step="post",
        )
        axes.step(hours, [s.busy for s in week], where="post", color="#333333", lw=1, label="busy")
        axes.set(title=title, ylabel="GPUs", ylim=(0, scenario.site.gpus))
        rows[2].step(hours, [s.waiting for s in week], where="post", label=title)
    rows[0].legend(loc="upper right", ncols=3)
    rows[2].legend(loc="upper right")
    rows[2].set(ylabel="waiting", xlim=(0, 168), xticks=range(0, 168, 24), xticklabels=_DAYS)
    Path(folder).mkdir(parents=True, exist_ok=True)
    save(plt, figure, folder, "week")


def _last_week(stretches: Sequence[Stretch]) -> list[Stretch]:
    began = stretches[-1].to_ms - WEEK_MS
    return [stretch for stretch in stretches if stretch.to_ms > began]


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
