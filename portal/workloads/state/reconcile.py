"""Reconcile what the database holds of a node with what the node reports: pure decisions.

Two steps, used by both the server (`settle_report` in `exchange.py`, the sweep) and the simulator:

1. `reconcile_node(held, report)` compares the live allocations of one node with its heartbeat and
   returns which containers were seen and which have provably ended. Only a `ProvenEnd` releases
   capacity.
2. `decide_next_states(work, ends)` returns, for each workload that step 1 has changed, the states
   that it moves to.

Both depend on their arguments alone, so a repeated or reordered call decides the same again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from portal.common.work_kinds import WorkTerms
from portal.execution.report import (
    AttemptKey,
    EndedContainer,
    OfAttempt,
    Report,
    SeenContainer,
)
from portal.workloads.retry import (
    DEFAULT_POLICY,
    INFRASTRUCTURE_CAUSES,
    NO_ATTEMPTS,
    AttemptHistory,
    RestartRule,
    Retry,
    RetryPolicy,
    decide_retry,
)
from scheduler.core.model.states import PLACED, WorkloadState
from wire.words import ExitCause, SilenceTerm

TIME_LIMIT: Final = ExitCause.TIME_LIMIT.value

DATASET_MISSING: Final = "dataset_missing:"
"""How the report of a node begins that does not have a data set of the work."""
DATA_TRIES: Final = 3
"""Starts of work on nodes that lack one of its data sets, before that ends it."""


class Proof(StrEnum):
    """How it is known that a container has ended and cannot come back."""

    FINISHED = "finished"
    """The node has reported how it ended."""
    TOMBSTONE = "tombstone"
    """The node has reported that it took this epoch and has nothing of it left."""
    MISSING = "missing"
    """The node has reported it before and does not report it any more."""
    NEVER_STARTED = "never_started"
    """The node has applied a reply that left it out, and does not report it."""
    LEASE_OVER = "lease_over"
    """The node was silent beyond lease and grace: its watchdog has ended what may be replaced."""
    NEW_BOOT = "new_boot"
    """The same machine has booted again."""
    DECLARED_LOST = "declared_lost"
    """An operator has declared that nothing of the node runs any more."""
    FENCED = "fenced"
    """The fence command has confirmed that the node is off."""


@dataclass(frozen=True, slots=True)
class HeldAllocation(OfAttempt):
    """A live allocation on the reporting node."""

    is_wanted: bool
    """The workload is placing, starting or running in this very epoch."""
    phase: str = ""
    """Last phase that the node reported; empty before the first."""
    unwanted_seq: int | None = None
    """`seq` of the first reply that left it out; None while no such reply was made."""
    silence: SilenceTerm = SilenceTerm.REPLACE
    is_sent: bool = True
    """Some reply to its node has named it."""

    @property
    def ends_with_lease(self) -> bool:
        """Return whether it cannot run once the lease of its node is over."""
        return self.silence is SilenceTerm.REPLACE or not self.is_sent


@dataclass(frozen=True, slots=True)
class ProvenEnd(OfAttempt):
    """The proven end of a container: its allocation is released, once."""

    proof: Proof
    cause: str
    """The node's cause, or where it gave none the portal's own."""
    exit_code: int | None = None
    started_at: int | None = None
    finished_at: int | None = None
    """The node's own end; where it cannot say, its last word that the container was there. None is now."""
    detail: str = ""
    checkpointed_at: int | None = None

    @property
    def ended_well(self) -> bool:
        """Return whether the work has ended with exit code 0."""
        return self.cause == "exited" and self.exit_code == 0

    @property
    def is_infrastructure(self) -> bool:
        """Return whether the node or the platform caused the end, and not the work."""
        return self.cause in INFRASTRUCTURE_CAUSES


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What one heartbeat proves."""

    seen: tuple[SeenContainer, ...]
    """Reports about live allocations; any other container on the node is not desired."""
    ends: tuple[ProvenEnd, ...]
    acks: tuple[AttemptKey, ...]
    """Finished reports and tombstones that the node may forget: all of them, also of attempts
    that were settled long ago."""


def reconcile_node(held: tuple[HeldAllocation, ...], report: Report) -> Reconciliation:
    """Match the live allocations of a node with its report.

    The order of the proofs matters. A reported end says most; a container that is there outweighs
    a tombstone; a container that is not reported has ended only if it was reported before, or if
    the node has applied a reply without it. An allocation that was sent but never reported stays
    desired, because the reply may have been lost.
    """
    ended = {item.key: item for item in report.ended}
    seen = {item.key: item for item in report.seen}
    buried = frozenset(report.tombstones)
    ends = tuple(
        end
        for item in held
        if (end := _prove_end(item, ended.get(item.key), buried, report, is_seen=item.key in seen))
    )
    over = frozenset(end.key for end in ends)
    return Reconciliation(
        seen=tuple(seen[item.key] for item in held if item.key in seen and item.key not in over),
        ends=ends,
        acks=tuple(dict.fromkeys((*ended, *report.tombstones))),
    )


def _prove_end(
    item: HeldAllocation,
    end: EndedContainer | None,
    buried: frozenset[AttemptKey],
    report: Report,
    *,
    is_seen: bool,
) -> ProvenEnd | None:
    if report.is_new_boot and not is_seen and not _was_before_reboot(end):
        return _prove_unreported(item, Proof.NEW_BOOT, report.last_word_at)
    if end is not None:
        return _prove_finished(item, end)
    return None if is_seen else _prove_absent(item, buried, report)


def _prove_finished(item: HeldAllocation, end: EndedContainer) -> ProvenEnd:
    return ProvenEnd(
        item.allocation,
        item.epoch,
        Proof.FINISHED,
        end.cause,
        end.exit_code,
        end.started_at,
        end.finished_at,
        end.detail,
        end.checkpointed_at,
    )


def _prove_absent(
    item: HeldAllocation, buried: frozenset[AttemptKey], report: Report
) -> ProvenEnd | None:
    """Return what it proves that a container is not reported."""
    if item.key in buried:
        return _prove_unreported(item, Proof.TOMBSTONE, report.last_word_at)
    if item.phase:
        return _prove_unreported(item, Proof.MISSING, report.last_word_at)
    left_out = item.unwanted_seq is not None and report.applied >= item.unwanted_seq
    if left_out and not item.is_wanted:
        return _prove_unreported(item, Proof.NEVER_STARTED, report.last_word_at)
    return None


def _prove_unreported(item: HeldAllocation, proof: Proof, last_at: int | None) -> ProvenEnd:
    """Return an end of which the node does not tell; `last_at` is when it was there at the latest."""
    return ProvenEnd(item.allocation, item.epoch, proof, _CAUSES[proof], finished_at=last_at)


def _was_before_reboot(end: EndedContainer | None) -> bool:
    """Return whether an end that is reported after a reboot cannot be the reboot's doing."""
    if end is None or end.cause in _CAUSES_OF_POWER_LOSS:
        return False
    return end.cause != ExitCause.EXITED or end.exit_code == 0


_CAUSES_OF_POWER_LOSS: Final = frozenset({ExitCause.KILLED.value, ExitCause.VANISHED.value})
_CAUSES: Final[Mapping[Proof, str]] = {
    Proof.TOMBSTONE: "not_started",
    Proof.NEVER_STARTED: "not_started",
    Proof.MISSING: "container_missing",
    Proof.LEASE_OVER: "node_lost",
    Proof.NEW_BOOT: "node_rebooted",
    Proof.DECLARED_LOST: "node_declared_lost",
    Proof.FENCED: "node_fenced",
}


def end_silent(
    held: tuple[HeldAllocation, ...], proof: Proof, finished_at: int | None = None
) -> tuple[ProvenEnd, ...]:
    """Return the ends of what a proof about a whole node concerns, and when that was at the latest.

    The end of the lease proves nothing about work that was sent to the node and is kept.
    """
    over = [item for item in held if proof is not Proof.LEASE_OVER or item.ends_with_lease]
    return tuple(_prove_unreported(item, proof, finished_at) for item in over)


@dataclass(frozen=True, slots=True)
class ObservedWorkload:
    """A workload with the counts of its allocations, after a report was written."""

    terms: WorkTerms
    state: WorkloadState
    outcome: str
    """While stopping: the state to reach once every container is gone."""
    replicas: int
    live: int
    """Allocations, of any epoch, that still hold something."""
    seen: int
    """Ranks of this epoch that the node has reported, or that have ended."""
    up: int
    """Ranks of this epoch that run, or that have ended well."""
    past: AttemptHistory = NO_ATTEMPTS
    policy: RetryPolicy = DEFAULT_POLICY
    time_limit_s: int | None = None


@dataclass(frozen=True, slots=True)
class NextStates:
    """The states that a workload passes through now, in order; it stays in the last one."""

    path: tuple[WorkloadState, ...]
    cause: str = ""
    params: Mapping[str, int | str] | None = None
    outcome: str = ""
    """When the path ends in `stopping`: the state that follows."""
    counts_retry: bool = False
    pause_s: int = 0
    """When the path ends in `queued`: how long it stays there at least."""


def decide_next_states(
    work: ObservedWorkload, ends: tuple[ProvenEnd, ...] = ()
) -> NextStates | None:
    """Return the states that a workload moves to; None when it stays where it is.

    Args:
        work: the workload after the report was written.
        ends: those of its current epoch that the report has proven. Ends of earlier epochs only
            release what they held.

    While a workload is stopping, the requested outcome stands whatever its containers report.
    """
    if work.state is WorkloadState.STOPPING:
        return NextStates((WorkloadState(work.outcome),)) if work.live == 0 else None
    if work.state not in PLACED:
        return None
    bad = tuple(end for end in ends if work.terms.after_end or not end.ended_well)
    if bad:
        return _after_bad_end(work, min(bad, key=_most_telling_first))
    return _after_progress(work)


def _most_telling_first(end: ProvenEnd) -> tuple[bool, bool]:
    """Order ends by how much they explain: when one rank fails, the others exit because of it."""
    return not end.is_infrastructure, end.cause == "exited"


def _after_bad_end(work: ObservedWorkload, end: ProvenEnd) -> NextStates:
    if end.cause == TIME_LIMIT:
        return _after_time_limit(work)
    params: dict[str, int | str] = {} if end.exit_code is None else {"exit_code": end.exit_code}
    if end.detail:
        params["detail"] = end.detail
    if _may_have_data_elsewhere(work, end):
        return NextStates((WorkloadState.QUEUED,), end.cause, params)
    if work.terms.after_end:
        after = WorkloadState.QUEUED if end.is_infrastructure else work.terms.after_end
        return NextStates((after,), end.cause, params)
    verdict = decide_retry(work.policy, work.past, end.cause, end.exit_code)
    if verdict.retry is not Retry.FINAL:
        return NextStates(
            (WorkloadState.QUEUED,),
            end.cause,
            params,
            counts_retry=verdict.retry is Retry.COUNTED,
            pause_s=verdict.pause_s,
        )
    if work.live:
        outcome = WorkloadState.FAILED.value
        return NextStates((WorkloadState.STOPPING,), end.cause, params, outcome=outcome)
    return NextStates((WorkloadState.FAILED,), end.cause, params)


def _may_have_data_elsewhere(work: ObservedWorkload, end: ProvenEnd) -> bool:
    """Return whether another node may have a data set that this one lacks.

    The next attempt avoids this node. Nodes report the first folders of their data sets only, so
    that what lies deeper is found missing at the start.
    """
    lacks_data = end.cause == "start_failed" and end.detail.startswith(DATASET_MISSING)
    may_repeat = work.policy.rule is not RestartRule.NEVER
    return lacks_data and may_repeat and work.past.starts < DATA_TRIES


def _after_time_limit(work: ObservedWorkload) -> NextStates:
    """Return what the portal would have requested itself, had it been heard."""
    params = {"time_limit_s": work.time_limit_s or 0}
    outcome = work.terms.over_time
    if not work.terms.has_grace:
        return NextStates((outcome,), TIME_LIMIT, params)
    path = (WorkloadState.STOPPING,) if work.live else (WorkloadState.STOPPING, outcome)
    return NextStates(path, TIME_LIMIT, params, outcome=outcome.value if work.live else "")


def _after_progress(work: ObservedWorkload) -> NextStates | None:
    """Return every state that the ranks have reached, so that none is missing in the log."""
    path = []
    if work.state is WorkloadState.PLACING and work.seen:
        path.append(WorkloadState.STARTING)
    is_up = work.up == work.replicas
    if is_up and work.state is not WorkloadState.RUNNING:
        path.append(WorkloadState.RUNNING)
    if is_up and work.live == 0:
        path.append(WorkloadState.SUCCEEDED)
    return NextStates(tuple(path)) if path else None
