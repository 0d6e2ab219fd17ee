"""The figures by which a past and its simulation are compared."""

from collections.abc import Iterable
from dataclasses import dataclass

from scheduler.whatif.metrics import SimulationOutcome, mean, quantile
from scheduler.whatif.past import PastWorkload


def as_it_was(past: Iterable[PastWorkload]) -> dict[str, int | float]:
    """Return how many workloads ran and how long they really waited, in seconds."""
    waits = [item.wait_s for item in past if item.ran_s > 0 and item.wait_s is not None]
    return {
        "jobs": len(waits),
        "mean_wait_s": mean(waits),
        "p99_wait_s": quantile(waits, 0.99),
        "longest_wait_s": max(waits, default=0.0),
    }


def as_it_would_be(outcome: SimulationOutcome) -> dict[str, int | float]:
    """Return the same figures of a simulation, and more; `utilisation` is a part of 1."""
    return {
        "jobs": len(outcome.finished),
        "mean_wait_s": outcome.mean_wait_s,
        "p99_wait_s": outcome.wait_quantile_s(0.99),
        "longest_wait_s": outcome.longest_wait_s,
        "mean_completion_s": outcome.mean_completion_s,
        "gpu_hours": outcome.gpu_hours,
        "utilisation": outcome.utilisation(),
        "evictions": sum(len(record.evictions) for record in outcome.records),
        "never_start": sum(record.started is None for record in outcome.records),
    }


@dataclass(frozen=True, slots=True)
class GroupFindings:
    """The figures of one group in a simulation."""

    group: str
    jobs: int
    mean_wait_s: float
    gpu_hours: float
    evictions: int


def by_group(outcome: SimulationOutcome) -> tuple[GroupFindings, ...]:
    """Return the figures of each group, by its id; without groups that requested nothing."""
    groups = sorted({record.workload.group for record in outcome.records})
    found = []
    for group in groups:
        own = [record for record in outcome.records if record.workload.group == group]
        waits = [record.wait_s for record in own if record.started is not None]
        evictions = sum(len(record.evictions) for record in own)
        hours = sum(record.gpu_hours for record in own)
        found.append(GroupFindings(group, len(waits), mean(waits), hours, evictions))
    return tuple(found)
