"""Decides what counts as use of a notebook; pure. Users read about it in docs/users/idle.md."""

from dataclasses import dataclass
from typing import Final

GPU_BUSY_PCT: Final = 5
"""GPU utilisation above this counts as use."""
CPU_BUSY_MILLI: Final = 100
"""A tenth of a processor: an open page that polls needs about a hundredth."""


@dataclass(frozen=True, slots=True)
class JupyterActivity:
    """The state of a JupyterLab's kernels and terminals."""

    is_busy: bool
    """Whether a cell is running, however long it takes."""
    kernels: str
    """A value per kernel that changes with every activity of the kernel."""
    terminals: str


@dataclass(frozen=True, slots=True)
class ActivitySample:
    """A notebook at one moment."""

    at: int
    """Milliseconds since boot."""
    cpu_ms: int
    """CPU time of all its processes since its start."""
    jupyter: JupyterActivity
    gpu_pct: int | None
    """Its own GPU utilisation; None if it cannot be measured or it has no GPU."""


@dataclass(frozen=True, slots=True)
class LastActivity:
    """When a notebook was last used, and the sample from which that was decided."""

    used_at: int
    source: str
    sample: ActivitySample


def evaluate_activity(before: LastActivity | None, sample: ActivitySample) -> LastActivity:
    """Return when the notebook was last used, given a new sample; the first sample counts as use."""
    if before is None:
        return LastActivity(sample.at, "start", sample)
    by = _detect_use(before.sample, sample)
    if by is None:
        return LastActivity(before.used_at, before.source, sample)
    return LastActivity(sample.at, by, sample)


def _detect_use(before: ActivitySample, now: ActivitySample) -> str | None:
    """Return the first kind of use between two samples; None if there was none."""
    elapsed_ms = max(1, now.at - before.at)
    cpu_milli = 1000 * max(0, now.cpu_ms - before.cpu_ms) // elapsed_ms
    uses = {
        "kernel": now.jupyter.is_busy or _has_changed(before.jupyter.kernels, now.jupyter.kernels),
        "terminal": _has_changed(before.jupyter.terminals, now.jupyter.terminals),
        "cards": (now.gpu_pct or 0) > GPU_BUSY_PCT,
        "cpu": cpu_milli > CPU_BUSY_MILLI,
    }
    return next((name for name, is_seen in uses.items() if is_seen), None)


def _has_changed(before: str, now: str) -> bool:
    """Return whether any of these changed or is new; one that has ended is not use."""
    return bool(set(now.split()) - set(before.split()))
