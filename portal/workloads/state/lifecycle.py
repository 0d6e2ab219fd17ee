"""The life of a workload: every move from one state to another, each in one transaction.

Rows are locked in the order of `portal.common.locks.LOCK_ORDER`. Nothing here waits for a node, a
file or a network.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import zip_longest
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import NotFoundError
from portal.common.notifications import wake_nodes
from portal.workloads.errors import EvictionRefusedError
from portal.workloads.models import Allocation, Idleness, Workload
from portal.workloads.retry import AttemptHistory, RestartRule, parse_restart_policy
from portal.workloads.state import allocations, commit
from portal.workloads.state.reconcile import (
    NextStates,
    ObservedWorkload,
    ProvenEnd,
    Reconciliation,
    decide_next_states,
)
from portal.workloads.state.transitions import (
    StateChange,
    invalidate_workloads,
    move_workload,
    move_workloads,
)
from scheduler.core.model.entities import Placement, WorkloadId
from scheduler.core.model.plan import EvictionCause, PlannedStart
from scheduler.core.model.states import (
    LIVE_ALLOCATION,
    PLACED,
    TERMINAL,
    AllocationState,
    WorkloadState,
)


def lock_workload(workload_id: UUID | str) -> Workload:
    """Return the locked row of a workload, with its pool."""
    rows = Workload.objects.select_related("pool").select_for_update(no_key=True, of=("self",))
    workload = rows.filter(pk=workload_id).first()
    if workload is None:
        raise NotFoundError("workload")
    return workload


def place(*, workload_id: WorkloadId, version: int, placements: tuple[Placement, ...]) -> None:
    """Give a queued workload what the scheduler chose for it, all ranks or none.

    Everything that the plan assumed is checked again under locks; `PlacementRefusedError` means
    that something has changed since the snapshot and that nothing was written.
    """
    for error in commit.commit_placements(
        (PlannedStart(workload_id, version, placements),)
    ).values():
        raise error


def request_stop(
    workload: Workload,
    *,
    outcome: WorkloadState,
    cause: str,
    actor: Actor,
    params: Mapping[str, int | str] | None = None,
) -> None:
    """Ask a locked workload to end in `outcome`; what its nodes hold is freed on their word.

    Without anything to wait for it ends at once. A stop that is already under way keeps its
    outcome, except that `cancelled` wins over every other. Ended work stays as it is.
    """
    state = WorkloadState(workload.state)
    if state in TERMINAL or state == outcome:
        return
    if state is WorkloadState.STOPPING:
        if outcome is WorkloadState.CANCELLED and workload.outcome != outcome:
            _change_outcome(workload, outcome, cause)
        return
    holds = bool(allocations.live_allocations(workload))
    if not holds:
        move_workload(workload, outcome, actor=actor, cause=cause, params=params)
        return
    move_workload(
        workload,
        WorkloadState.STOPPING,
        actor=actor,
        cause=cause,
        params=params,
        outcome=outcome.value,
    )
    _release_unsent(workload, actor)


def _change_outcome(workload: Workload, outcome: WorkloadState, cause: str) -> None:
    workload.outcome, workload.cause, workload.cause_params = outcome.value, cause, {}
    workload.version += 1
    Workload.objects.filter(pk=workload.pk).update(
        outcome=workload.outcome,
        cause=workload.cause,
        cause_params=workload.cause_params,
        version=workload.version,
    )
    invalidate_workloads([workload])


def requeue_workload(workload: Workload, *, cause: str, actor: Actor) -> None:
    """Queue a locked, placed workload again; its present attempt is given up, not counted.

    What must not run twice fails instead: nobody knows whether it has begun.
    """
    if _must_not_repeat(workload):
        request_stop(workload, outcome=WorkloadState.FAILED, cause=cause, actor=actor)
        return
    move_workload(workload, WorkloadState.QUEUED, actor=actor, cause=cause)
    _release_unsent(workload, actor)


@transaction.atomic
def evict_workload(
    *,
    workload_id: WorkloadId,
    version: int,
    cause: EvictionCause,
    beneficiary: WorkloadId | None,
    grace_s: int,
) -> None:
    """Take preemptible work off its nodes for others, and queue it again as it was.

    Its id, age and priority stay, and no retry is counted. Its containers get the notice with the
    next reply to their nodes and are stopped after the grace; until they are proven gone the work
    waits. `EvictionRefusedError` means that something has changed since the plan was made.
    """
    workload = lock_workload(workload_id)
    if workload.state not in PLACED or workload.version != version:
        raise EvictionRefusedError("changed_meanwhile", state=workload.state)
    if not workload.preemptible:
        raise EvictionRefusedError("not_preemptible")
    if beneficiary is not None and not _is_queued(beneficiary):
        raise EvictionRefusedError("nobody_waits")
    displace_workload(
        workload,
        cause=cause.value,
        grace_s=grace_s,
        actor=commit.SCHEDULER,
        beneficiary=beneficiary,
    )


def displace_workload(
    workload: Workload,
    *,
    cause: str,
    grace_s: int,
    actor: Actor,
    beneficiary: WorkloadId | None = None,
) -> None:
    """Take locked, placed work off its nodes with a notice, and queue it again as it was.

    What must not run twice fails instead, after the same notice.
    """
    allocations.set_stop_grace(allocations.live_allocations(workload), grace_s)
    if _must_not_repeat(workload):
        request_stop(workload, outcome=WorkloadState.FAILED, cause=cause, actor=actor)
        return
    move_workload(
        workload,
        WorkloadState.QUEUED,
        actor=actor,
        cause=cause,
        params={"grace_s": grace_s},
        evictions=workload.evictions + 1,
        evicted_for=beneficiary,
    )
    _release_unsent(workload, actor)


def _must_not_repeat(workload: Workload) -> bool:
    rule = parse_restart_policy(workload.restart, workload.retries_max).rule
    return workload.kind == Workload.Kind.TRAINING and rule is RestartRule.NEVER


def _is_queued(workload_id: WorkloadId) -> bool:
    is_work = Workload.objects.filter(pk=workload_id, state=WorkloadState.QUEUED).exists()
    return is_work or Idleness.objects.filter(gpu_request=workload_id).exists()


def apply_reconciliation(
    work: allocations.NodeAllocations, settlement: Reconciliation, *, actor: Actor
) -> allocations.NodeAllocations:
    """Write down what a node's word proves, and move the workloads that it concerns.

    `work` comes from `allocations.lock_node_allocations` in the same transaction; returned is what is left.
    """
    over, changed = allocations.apply_report(work, settlement)
    allocations.record_checkpoints(work, (*settlement.seen, *settlement.ends))
    gone = {fact.key: fact for fact in settlement.ends}
    ends: dict[UUID, list[ProvenEnd]] = defaultdict(list)
    for item in over:
        if item.epoch == work.workloads[item.workload_id].epoch:
            ends[item.workload_id].append(gone[item.wire_name, item.epoch])
    touched = sorted({item.workload_id for item in (*over, *changed)})
    concerned = [(work.workloads[key], tuple(ends[key])) for key in touched]
    has_let_go = _advance_workloads(concerned, work.allocations, actor=actor)
    allocations.release_resources(work, over)
    return work.reload() if has_let_go else work.without_released()


def advance_workload(workload: Workload, *, actor: Actor) -> None:
    """Bring a locked workload to the state that its allocations prove."""
    _advance_workloads([(workload, ())], (), actor=actor)


def _advance_workloads(
    facts: Sequence[tuple[Workload, tuple[ProvenEnd, ...]]],
    at_hand: Iterable[Allocation],
    *,
    actor: Actor,
) -> bool:
    """Bring locked workloads, each with its ends, to the states that their allocations prove.

    `at_hand` are allocations that need not be read. Tells whether more of what some hold was freed.
    """
    known = _observe_workloads([workload for workload, _ in facts], at_hand)
    walks: list[list[StateChange]] = []
    for workload, ends in facts:
        conclusion = decide_next_states(known[workload.pk], ends)
        if conclusion is not None:
            walks.append(_plan_changes(workload, conclusion, ends))
    # One step of everybody after the other: a workload is in one state at a time.
    for steps in zip_longest(*walks):
        move_workloads([step for step in steps if step is not None], actor=actor)
    moved = {walk[-1].workload.pk for walk in walks}
    invalidate_workloads(workload for workload, _ in facts if workload.pk not in moved)
    leaving = {WorkloadState.QUEUED, WorkloadState.STOPPING}
    let_go = [walk[-1].workload for walk in walks if walk[-1].target in leaving]
    for workload in let_go:
        _release_unsent(workload, actor)
    return bool(let_go)


def _plan_changes(
    workload: Workload, conclusion: NextStates, ends: tuple[ProvenEnd, ...]
) -> list[StateChange]:
    was_stopping = workload.state == WorkloadState.STOPPING
    cause = workload.cause if was_stopping else conclusion.cause
    params = workload.cause_params if was_stopping else conclusion.params
    columns = _result_columns(workload, conclusion, ends)
    last = StateChange(workload, conclusion.path[-1], cause, params or {}, columns)
    return [*(StateChange(workload, target) for target in conclusion.path[:-1]), last]


_RANK_COLUMNS: Final = ("workload_id", "epoch", "state", "phase", "exit_cause", "exit_code")


def _observe_workloads(
    workloads: Sequence[Workload], at_hand: Iterable[Allocation]
) -> Mapping[UUID, ObservedWorkload]:
    """Count the allocations of each workload, those that are not at hand by one query."""
    epochs = {workload.pk: workload.epoch for workload in workloads}
    live, seen, up = Counter[UUID](), Counter[UUID](), Counter[UUID]()
    for key, epoch, state, phase, exit_cause, exit_code in _rank_rows(workloads, at_hand):
        is_over = state == AllocationState.RELEASED
        live[key] += not is_over
        if epoch == epochs[key]:
            seen[key] += is_over or bool(phase)
            has_ended_well = exit_cause == "exited" and exit_code == 0
            up[key] += has_ended_well if is_over else phase == "running"
    return {
        workload.pk: ObservedWorkload(
            is_environment=workload.kind == Workload.Kind.ENVIRONMENT,
            state=WorkloadState(workload.state),
            outcome=workload.outcome,
            replicas=workload.replicas,
            live=live[workload.pk],
            seen=seen[workload.pk],
            up=up[workload.pk],
            past=AttemptHistory(workload.retries, workload.epoch),
            policy=parse_restart_policy(workload.restart, workload.retries_max),
        )
        for workload in workloads
    }


def _rank_rows(
    workloads: Sequence[Workload], at_hand: Iterable[Allocation]
) -> Iterable[tuple[Any, ...]]:
    """Return the columns `_RANK` of everything that these hold, and of all of their epoch.

    Of work with a single rank, an allocation of the present epoch is both: it has no other.
    """
    single = {workload.pk: workload.epoch for workload in workloads if workload.replicas == 1}
    known = [item for item in at_hand if single.get(item.workload_id) == item.epoch]
    of = attrgetter(*_RANK_COLUMNS)
    yield from map(of, known)
    others = {workload.pk for workload in workloads} - {item.workload_id for item in known}
    if others:
        concerns = Q(state__in=LIVE_ALLOCATION) | Q(epoch=F("workload__epoch"))
        yield from Allocation.objects.filter(concerns, workload__in=others).values_list(
            *_RANK_COLUMNS
        )


def _result_columns(
    workload: Workload, conclusion: NextStates, ends: tuple[ProvenEnd, ...]
) -> dict[str, Any]:
    """Return the columns that tell how the run ended."""
    target = conclusion.path[-1]
    columns: dict[str, Any] = {}
    if conclusion.outcome:
        columns["outcome"] = conclusion.outcome
    if conclusion.counts_retry:
        columns["retries"] = workload.retries + 1
    if conclusion.pause_s:
        columns["retry_at"] = now() + timedelta(seconds=conclusion.pause_s)
    if target is WorkloadState.SUCCEEDED:
        columns["exit_code"] = 0
    elif ends and workload.state != WorkloadState.STOPPING and target != WorkloadState.QUEUED:
        codes = [end.exit_code for end in ends if not end.ended_well]
        columns["exit_code"] = codes[0] if codes else None
    return columns


def _release_unsent(workload: Workload, actor: Actor) -> None:
    """Free at once what no node has been told of; nudge the nodes that hold the rest."""
    live = allocations.live_allocations(workload)
    unsent = [item for item in live if item.state == AllocationState.RESERVED]
    allocations.release_unsent([(workload, item) for item in unsent])
    wake_nodes(item.node_id for item in live if item.state != AllocationState.RELEASED)
    if workload.state == WorkloadState.STOPPING and len(unsent) == len(live):
        advance_workload(workload, actor=actor)


def lose_node_work(
    work: allocations.NodeAllocations, ends: Collection[ProvenEnd], *, actor: Actor
) -> None:
    """Give up everything on a node whose lease and grace are over."""
    bound = [item for item in work.allocations if item.state == AllocationState.BOUND]
    allocations.mark_lost(bound)
    apply_reconciliation(work, Reconciliation(seen=(), ends=tuple(ends), acks=()), actor=actor)
