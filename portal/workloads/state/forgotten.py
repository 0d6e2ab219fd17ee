"""Containers that a restored database does not know: pure decisions, shared with the simulator.

After PostgreSQL was restored from a backup, nodes report attempts that were started after it. They run
on. One whose workload the database knows is adopted, as soon as nothing stands against it; any other is
left to an operator.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scheduler.core.model.states import TERMINAL, WorkloadState

EPOCH_GAP: Final = 1000
"""Epochs that are left out after a restore: no workload was started so often since its backup."""


class ContainerOrigin(StrEnum):
    """Where a container comes from that the database does not hold."""

    SUPERSEDED = "superseded"
    """The database knows of this attempt that it is over: it is stopped."""
    FORGOTTEN = "forgotten"
    """A later attempt of a workload than the database knows."""
    UNKNOWN = "unknown"
    """The database does not know its workload."""


def find_origin(epoch: int, known_epoch: int | None) -> ContainerOrigin:
    """Return where an attempt comes from; `known_epoch` is None for an unknown workload."""
    if known_epoch is None:
        return ContainerOrigin.UNKNOWN
    return ContainerOrigin.SUPERSEDED if epoch <= known_epoch else ContainerOrigin.FORGOTTEN


class Adoption(StrEnum):
    """Whether the attempt of a known workload may be adopted now; other values say what it waits for."""

    POSSIBLE = "possible"
    WORKLOAD_IS_OVER = "workload_is_over"
    """The database knows the workload as ended."""
    EARLIER_ATTEMPT_HELD = "earlier_attempt_held"
    """An earlier attempt is not proven gone yet."""
    LATER_ATTEMPT_RUNS = "later_attempt_runs"
    """A later attempt of the same workload is reported, or known by now."""
    RANKS_MISSING = "ranks_missing"
    """Not every rank of the attempt is reported."""
    DEVICES_UNKNOWN = "devices_unknown"
    """The node has not reported its devices yet."""
    REFUSED = "refused"
    """A quota or another assumption of placements does not hold at present."""


@dataclass(frozen=True, slots=True)
class ForgottenAttempt:
    """The reported ranks of one attempt of a known workload."""

    epoch: int
    ranks: frozenset[int]
    has_devices: bool
    """Whether every rank has reported its devices."""


@dataclass(frozen=True, slots=True)
class KnownWorkload:
    """What the database knows of a workload."""

    state: WorkloadState
    epoch: int
    replicas: int
    live: int
    """Allocations that still hold something."""


def decide_adoption(
    work: KnownWorkload, attempt: ForgottenAttempt, *, latest_epoch: int
) -> Adoption:
    """Return whether an attempt may be adopted; `latest_epoch` is the highest that is reported."""
    if work.state in TERMINAL:
        return Adoption.WORKLOAD_IS_OVER
    if work.live or work.state not in _WITHOUT_ATTEMPT:
        return Adoption.EARLIER_ATTEMPT_HELD
    if attempt.epoch < latest_epoch or attempt.epoch <= work.epoch:
        return Adoption.LATER_ATTEMPT_RUNS
    if attempt.ranks != frozenset(range(work.replicas)):
        return Adoption.RANKS_MISSING
    return Adoption.POSSIBLE if attempt.has_devices else Adoption.DEVICES_UNKNOWN


_WITHOUT_ATTEMPT: Final = frozenset({WorkloadState.QUEUED, WorkloadState.SUSPENDED})
