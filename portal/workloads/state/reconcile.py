"""What a node's word means for the work on it: the pure heart of the node protocol.

Two steps, used alike by the server (`portal.agentlink.heartbeat`, the sweep) and the simulator:

1. `settle(held, report)` compares the live allocations of one node with its heartbeat and says
   which containers were seen and which are proven gone. Only `Gone` frees capacity.
2. `conclude(work, gone)` says, once per touched workload and after step 1 was written down,
   whether the workload moves to another state.

Both depend on their arguments alone, so a repeated or reordered call decides the same again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from portal.workloads.retry import (
    DEFAULT_POLICY,
    INFRASTRUCTURE_CAUSES,
    NO_ATTEMPTS,
    AttemptHistory,
    Retry,
    RetryPolicy,
    decide_retry,
)
from scheduler.core.model.states import PLACED, WorkloadState

AttemptKey = tuple[str, int]
"""Wire name of an allocation and its epoch: one attempt of one replica."""


class Proof(StrEnum):
    """How the server knows that a container is gone and cannot come back."""

    FINISHED = "finished"
    """The node says how it ended."""
    TOMBSTONE = "tombstone"
    """The node says that it took this epoch once and has nothing of it left."""
    MISSING = "missing"
    """The node has reported it before and does not any more."""
    NEVER_STARTED = "never_started"
    """The node has applied a reply that left it out, and does not have it."""
    LEASE_OVER = "lease_over"
    """The node is silent beyond lease and grace: its watchdog has ended the container."""


@dataclass(frozen=True, slots=True)
class HeldAllocation:
    """A live allocation on the reporting node."""

    allocation: str
    """Wire name, `<workload id, hex>.<rank>`."""
    epoch: int
    is_wanted: bool
    """The workload is placing, starting or running in this very epoch."""
    phase: str = ""
    """Last phase that the node reported; empty before the first."""
    unwanted_seq: int | None = None
    """`seq` of the first reply that left it out; None while no such reply was made."""

    @property
    def key(self) -> AttemptKey:
        """Return what reports are matched by."""
        return self.allocation, self.epoch


@dataclass(frozen=True, slots=True)
class SeenContainer:
    """A container that exists on the node."""

    allocation: str
    epoch: int
    phase: str
    port: int | None = None
    detail: str = ""
    progress_pct: int | None = None
    isolation: str = ""
    """What keeps others off its cards; empty while that is not proven."""
    started_at: int | None = None
    """Milliseconds, by the node's clock."""
    checkpointed_at: int | None = None
    """The same, of when the work last said that it is saved."""

    @property
    def key(self) -> AttemptKey:
        """Return what it is matched by."""
        return self.allocation, self.epoch


@dataclass(frozen=True, slots=True)
class EndedContainer:
    """A container that has ended, in the words of the node."""

    allocation: str
    epoch: int
    cause: str
    exit_code: int | None = None
    started_at: int | None = None
    finished_at: int | None = None
    detail: str = ""
    checkpointed_at: int | None = None

    @property
    def key(self) -> AttemptKey:
        """Return what it is matched by."""
        return self.allocation, self.epoch


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The whole truth of a node as of one heartbeat."""

    applied: int
    """`seq` of the last reply that the agent acted on; -1 before the first."""
    seen: tuple[SeenContainer, ...] = ()
    ended: tuple[EndedContainer, ...] = ()
    tombstones: tuple[AttemptKey, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvenEnd:
    """A container that is proven gone: its allocation is released, once."""

    allocation: str
    epoch: int
    proof: Proof
    cause: str
    """The node's cause, or ours in its place: `not_started`, `container_missing`, `node_lost`."""
    exit_code: int | None = None
    started_at: int | None = None
    finished_at: int | None = None
    detail: str = ""
    checkpointed_at: int | None = None

    @property
    def key(self) -> AttemptKey:
        """Return the attempt that is over."""
        return self.allocation, self.epoch

    @property
    def ended_well(self) -> bool:
        """Tell whether the work did what it was asked to do."""
        return self.cause == "exited" and self.exit_code == 0

    @property
    def is_infrastructure(self) -> bool:
        """Tell whether the end is not the work's own doing."""
        return self.cause in INFRASTRUCTURE_CAUSES


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What one heartbeat proves."""

    seen: tuple[SeenContainer, ...]
    """Reports about held allocations; everything else on the node is simply not desired."""
    ends: tuple[ProvenEnd, ...]
    acks: tuple[AttemptKey, ...]
    """Finished reports and tombstones that the node may forget: all of them, also of attempts
    that were settled long ago."""


def reconcile_node(held: tuple[HeldAllocation, ...], report: NodeReport) -> Reconciliation:
    """Match the live allocations of a node with its report.

    The order of the proofs matters: the node's own account of an end says most; a container that
    is there outweighs a tombstone; silence is a proof only when the container was there before,
    or when the node has already applied a reply without it. An allocation that was sent but never
    reported just stays desired: the reply may have been lost.
    """
    ended = {item.key: item for item in report.ended}
    seen = {item.key: item for item in report.seen}
    buried = frozenset(report.tombstones)
    gone = tuple(
        fact
        for item in held
        if (fact := _prove_end(item, ended.get(item.key), buried, report, is_seen=item.key in seen))
    )
    over = frozenset(fact.key for fact in gone)
    return Reconciliation(
        seen=tuple(seen[item.key] for item in held if item.key in seen and item.key not in over),
        ends=gone,
        acks=tuple(dict.fromkeys((*ended, *report.tombstones))),
    )


def _prove_end(
    item: HeldAllocation,
    end: EndedContainer | None,
    buried: frozenset[AttemptKey],
    report: NodeReport,
    *,
    is_seen: bool,
) -> ProvenEnd | None:
    if end is not None:
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
    if is_seen:
        return None
    if item.key in buried:
        return ProvenEnd(item.allocation, item.epoch, Proof.TOMBSTONE, "not_started")
    if item.phase:
        return ProvenEnd(item.allocation, item.epoch, Proof.MISSING, "container_missing")
    left_out = item.unwanted_seq is not None and report.applied >= item.unwanted_seq
    if left_out and not item.is_wanted:
        return ProvenEnd(item.allocation, item.epoch, Proof.NEVER_STARTED, "not_started")
    return None


def end_all_as_lost(
    held: tuple[HeldAllocation, ...], cause: str = "node_lost"
) -> tuple[ProvenEnd, ...]:
    """Return the ends of everything on a node that is silent beyond lease and grace."""
    return tuple(ProvenEnd(item.allocation, item.epoch, Proof.LEASE_OVER, cause) for item in held)


@dataclass(frozen=True, slots=True)
class ObservedWorkload:
    """One workload after its allocations were brought up to date."""

    is_environment: bool
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


@dataclass(frozen=True, slots=True)
class NextStates:
    """The states that a workload passes now, in order; the last one is where it stays."""

    path: tuple[WorkloadState, ...]
    cause: str = ""
    params: Mapping[str, int | str] | None = None
    outcome: str = ""
    """When the path ends in `stopping`: where it leads from there."""
    counts_retry: bool = False
    pause_s: int = 0
    """When the path ends in `queued`: how long it stays there at least."""


def decide_next_states(
    work: ObservedWorkload, gone: tuple[ProvenEnd, ...] = ()
) -> NextStates | None:
    """Say where a workload goes, given the ends of its current epoch that were just settled.

    Ends of earlier epochs must not be passed: they only free what they held. While a workload is
    stopping, the outcome that was asked for stands whatever the containers say: cancel wins.
    """
    if work.state is WorkloadState.STOPPING:
        return NextStates((WorkloadState(work.outcome),)) if work.live == 0 else None
    if work.state not in PLACED:
        return None
    bad = tuple(fact for fact in gone if work.is_environment or not fact.ended_well)
    if bad:
        return _after_bad_end(work, min(bad, key=_least_telling_last))
    return _after_progress(work)


def _least_telling_last(end: ProvenEnd) -> tuple[bool, bool]:
    """Order ends by what they tell: when one rank dies, the others fail over its silence."""
    return not end.is_infrastructure, end.cause == "exited"


def _after_bad_end(work: ObservedWorkload, end: ProvenEnd) -> NextStates:
    params: dict[str, int | str] = {} if end.exit_code is None else {"exit_code": end.exit_code}
    if end.detail:
        params["detail"] = end.detail
    if work.is_environment:
        goal = WorkloadState.QUEUED if end.is_infrastructure else WorkloadState.SUSPENDED
        return NextStates((goal,), end.cause, params)
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


def _after_progress(work: ObservedWorkload) -> NextStates | None:
    """Walk every step that the ranks have reached, so that no step is missing in the log."""
    path = []
    if work.state is WorkloadState.PLACING and work.seen:
        path.append(WorkloadState.STARTING)
    is_up = work.up == work.replicas
    if is_up and work.state is not WorkloadState.RUNNING:
        path.append(WorkloadState.RUNNING)
    if is_up and work.live == 0:
        path.append(WorkloadState.SUCCEEDED)
    return NextStates(tuple(path)) if path else None
