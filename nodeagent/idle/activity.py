"""What counts as the use of a notebook; pure. docs/users/idle.md says it to people."""

from dataclasses import dataclass
from typing import Final

GPU_BUSY_PCT: Final = 5
"""A card that is kept busier than this computes for its holder."""
CPU_BUSY_MILLI: Final = 100
"""A tenth of one processor: an open page that asks for news needs a hundredth."""


@dataclass(frozen=True, slots=True)
class JupyterActivity:
    """What a JupyterLab says of its kernels and terminals."""

    is_busy: bool
    """A cell runs, however long."""
    kernels: str
    """When each kernel last did anything, one word for each: a new word means that one did since."""
    terminals: str


@dataclass(frozen=True, slots=True)
class ActivitySample:
    """One look at a notebook."""

    at: int
    """Milliseconds since boot."""
    cpu_ms: int
    """Of all its processes, since its start."""
    jupyter: JupyterActivity
    gpu_pct: int | None
    """Its own use of its cards; None where it cannot be measured or it has none."""


@dataclass(frozen=True, slots=True)
class LastActivity:
    """The last use of a notebook, and the look before."""

    used_at: int
    source: str
    sample: ActivitySample


def evaluate_activity(before: LastActivity | None, sight: ActivitySample) -> LastActivity:
    """Return when it was last in use, as of this look; the first one counts as use."""
    if before is None:
        return LastActivity(sight.at, "start", sight)
    by = _use(before.sample, sight)
    if by is None:
        return LastActivity(before.used_at, before.source, sight)
    return LastActivity(sight.at, by, sight)


def _use(before: ActivitySample, now: ActivitySample) -> str | None:
    """Name the first thing that tells of use between two looks."""
    elapsed_ms = max(1, now.at - before.at)
    cpu_milli = 1000 * max(0, now.cpu_ms - before.cpu_ms) // elapsed_ms
    found = {
        "kernel": now.jupyter.is_busy or _has_news(before.jupyter.kernels, now.jupyter.kernels),
        "terminal": _has_news(before.jupyter.terminals, now.jupyter.terminals),
        "cards": (now.gpu_pct or 0) > GPU_BUSY_PCT,
        "cpu": cpu_milli > CPU_BUSY_MILLI,
    }
    return next((name for name, is_seen in found.items() if is_seen), None)


def _has_news(before: str, now: str) -> bool:
    """Tell whether any of these has done something; that one has ended is nobody's use."""
    return bool(set(now.split()) - set(before.split()))
