"""The life of a workload: stop, requeue, evict, and what reports of nodes change.

Every function runs in one transaction and waits for no node, file or network. Rows are locked in the
order of `portal.common.locks.LOCK_ORDER`; a transaction that locks them in another order can deadlock
with a commit of placements.
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
from portal.workloads.state import allocations, eviction_brake
from portal.workloads.state.attempt_times import AttemptTimes
from portal.workloads.state.checkpoints import record_checkpoints
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
from portal.workloads.system_actors import SCHEDULER_ACTOR
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause, PlannedEviction
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


def request_stop(
    workload: Workload,
    *,
    outcome: WorkloadState,
    cause: str,
    actor: Actor,
    params: Mapping[str, int | str] | None = None,
) -> None:
    """Request that a locked workload ends in `outcome`.

    It is stopping until its nodes have proven that its containers are gone; without any, it ends at
    once. A stop that is already under way keeps its outcome, except that `cancelled` wins over
    every other. Ended work stays as it is.
    """
    state = WorkloadState(workload.state)
    if state in TERMINAL or state == outcome:
        return
    if state is WorkloadState.STOPPING:
        if outcome is WorkloadState.CANCELLED and workload.outcome != outcome:
            _change_outcome(workload, outcome, cause)
        return
    if not allocations.live_allocations(workload):
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


def requeue_workload(
    workload: Workload, *, cause: str, actor: Actor, grace_s: int | None = None
) -> None:
    """Queue a locked, placed workload again; its present attempt is dropped and counts as no retry.

    With `grace_s` its containers get notice, and are stopped so much later. Work that must not run
    twice fails instead, because it may have begun.
    """
    if grace_s is not None:
        allocations.set_stop_grace(allocations.live_allocations(workload), grace_s)
    if must_not_repeat(workload):
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
    """Evict preemptible work for other work, and queue it again as it was.

    Its id, age and priority stay, and no retry is counted. Its containers get notice with the next
    reply to their nodes and are stopped after the grace; until they are proven gone the work waits.

    Raises:
        EvictionRefusedError: something has changed since the plan was made.
    """
    workload = lock_workload(workload_id)
    if workload.state not in PLACED or workload.version != version:
        raise EvictionRefusedError("changed_meanwhile", state=workload.state)
    if not workload.preemptible:
        raise EvictionRefusedError("not_preemptible")
    if beneficiary is not None and not _is_queued(beneficiary):
        raise EvictionRefusedError("beneficiary_gone")
    displace_workload(
        workload,
        cause=cause.value,
        grace_s=grace_s,
        actor=SCHEDULER_ACTOR,
        beneficiary=beneficiary,
    )


@transaction.atomic
def evict_workloads(evictions: Sequence[PlannedEviction]) -> None:
    """Evict all of this work, which leaves for one beneficiary, or none of it: a part would stop for nothing.

    Raises:
        EvictionRefusedError: something has changed since the plan was made.
    """
    ids = [UUID(eviction.workload) for eviction in evictions]
    live = Allocation.objects.filter(workload__in=ids, state__in=LIVE_ALLOCATION)
    for rows in (Workload.objects.filter(pk__in=ids), live):
        list(rows.order_by("pk").select_for_update(no_key=True).values_list("pk"))
    for eviction in evictions:
        evict_workload(
            workload_id=eviction.workload,
            version=eviction.version,
            cause=eviction.cause,
            beneficiary=eviction.beneficiary,
            grace_s=eviction.grace_s,
        )


def displace_workload(
    workload: Workload,
    *,
    cause: str,
    grace_s: int,
    actor: Actor,
    beneficiary: WorkloadId | None = None,
) -> None:
    """Stop the containers of locked, placed work after a notice, and queue it again as it was.

    Work that must not run twice fails instead, after the same notice. Work that gets nowhere is held.
    """
    allocations.set_stop_grace(allocations.live_allocations(workload), grace_s)
    if must_not_repeat(workload):
        request_stop(workload, outcome=WorkloadState.FAILED, cause=cause, actor=actor)
        return
    fruitless = eviction_brake.count_fruitless(workload, cause)
    move_workload(
        workload,
        WorkloadState.QUEUED,
        actor=actor,
        cause=cause,
        params={"grace_s": grace_s},
        evictions=workload.evictions + 1,
        evicted_for=beneficiary,
    )
    eviction_brake.save_fruitless(workload, fruitless)
    _release_unsent(workload, actor)


def must_not_repeat(workload: Workload) -> bool:
    """Return whether the job's own rule forbids a second start."""
    rule = parse_restart_policy(workload.restart, workload.retries_max).rule
    return rule is RestartRule.NEVER


def _is_queued(workload_id: WorkloadId) -> bool:
    is_work = Workload.objects.filter(pk=workload_id, state=WorkloadState.QUEUED).exists()
    return is_work or Idleness.objects.filter(gpu_request=workload_id).exists()


def apply_reconciliation(
    work: allocations.NodeAllocations, found: Reconciliation, *, actor: Actor
) -> allocations.NodeAllocations:
    """Write what the report of a node proves, and move the workloads that it concerns.

    `work` comes from `allocations.lock_node_allocations` in the same transaction; returned is what
    is still live of it.
    """
    over, changed = allocations.apply_report(work, found)
    record_checkpoints(work, (*found.seen, *found.ends), actor=actor)
    proven = {end.key: end for end in found.ends}
    ends: dict[UUID, list[ProvenEnd]] = defaultdict(list)
    for item in over:
        if item.epoch == work.workloads[item.workload_id].epoch:
            ends[item.workload_id].append(proven[item.wire_name, item.epoch])
    touched = sorted({item.workload_id for item in (*over, *changed)})
    concerned = [(work.workloads[key], tuple(ends[key])) for key in touched]
    has_released = _advance_workloads(concerned, work.allocations, actor=actor)
    allocations.release_resources(work, over)
    return work.reload() if has_released else work.without_released()


def advance_workload(workload: Workload, *, actor: Actor) -> None:
    """Move a locked workload to the state that its allocations prove."""
    _advance_workloads([(workload, ())], (), actor=actor)


def _advance_workloads(
    concerned: Sequence[tuple[Workload, tuple[ProvenEnd, ...]]],
    at_hand: Iterable[Allocation],
    *,
    actor: Actor,
) -> bool:
    """Move locked workloads, each with its ends, to the states that their allocations prove.

    `at_hand` are allocations that need not be read again. Returns whether allocations were released
    that no node has been sent.
    """
    known, times = _observe_workloads([workload for workload, _ in concerned], at_hand)
    plans: list[list[StateChange]] = []
    for workload, ends in concerned:
        found = decide_next_states(known[workload.pk], ends)
        if found is not None:
            plans.append(_plan_changes(workload, found, ends, times[workload.pk]))
    # First changes of all workloads, then their second: one statement moves each workload once.
    for steps in zip_longest(*plans):
        move_workloads([step for step in steps if step is not None], actor=actor)
    moved = {plan[-1].workload.pk for plan in plans}
    invalidate_workloads(workload for workload, _ in concerned if workload.pk not in moved)
    leaving = {WorkloadState.QUEUED, WorkloadState.STOPPING}
    left = [plan[-1].workload for plan in plans if plan[-1].target in leaving]
    for workload in left:
        _release_unsent(workload, actor)
    return bool(left)


def _plan_changes(
    workload: Workload, found: NextStates, ends: tuple[ProvenEnd, ...], times: AttemptTimes
) -> list[StateChange]:
    was_stopping = workload.state == WorkloadState.STOPPING
    cause = workload.cause if was_stopping else found.cause
    params = workload.cause_params if was_stopping else found.params
    columns = _result_columns(workload, found, ends)
    last = StateChange(workload, found.path[-1], cause, params or {}, columns)
    path = [*(StateChange(workload, target) for target in found.path[:-1]), last]
    return [times.of(step) for step in path]


_RANK_COLUMNS: Final = (
    *("workload_id", "epoch", "state", "phase", "exit_cause", "exit_code"),
    *("started_at", "ready_at", "finished_at"),
)


def _observe_workloads(
    workloads: Sequence[Workload], at_hand: Iterable[Allocation]
) -> tuple[Mapping[UUID, ObservedWorkload], Mapping[UUID, AttemptTimes]]:
    """Count the allocations of each workload; those that are not loaded are read in one query."""
    epochs = {workload.pk: workload.epoch for workload in workloads}
    live, seen, up = Counter[UUID](), Counter[UUID](), Counter[UUID]()
    times = {workload.pk: AttemptTimes() for workload in workloads}
    rows = _rank_rows(workloads, at_hand)
    for key, epoch, state, phase, exit_cause, exit_code, *moments in rows:
        started_at, ready_at, finished_at = moments
        is_over = state == AllocationState.RELEASED
        live[key] += not is_over
        if epoch == epochs[key]:
            seen[key] += is_over or bool(phase)
            has_ended_well = exit_cause == "exited" and exit_code == 0
            up[key] += has_ended_well if is_over else phase == "running" and ready_at is not None
            times[key].see(started_at, finished_at)
    observed = {
        workload.pk: ObservedWorkload(
            terms=workload.terms,
            state=WorkloadState(workload.state),
            outcome=workload.outcome,
            replicas=workload.replicas,
            live=live[workload.pk],
            seen=seen[workload.pk],
            up=up[workload.pk],
            past=AttemptHistory(workload.retries, workload.epoch),
            policy=parse_restart_policy(workload.restart, workload.retries_max),
            time_limit_s=workload.time_limit_s,
        )
        for workload in workloads
    }
    return observed, times


def _rank_rows(
    workloads: Sequence[Workload], at_hand: Iterable[Allocation]
) -> Iterable[tuple[Any, ...]]:
    """Yield `_RANK_COLUMNS` of every live allocation, and of every one of the present epoch.

    A workload with a single rank has no other allocation than the one of its present epoch.
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
    workload: Workload, found: NextStates, ends: tuple[ProvenEnd, ...]
) -> dict[str, Any]:
    """Return the columns with which a run has ended."""
    target = found.path[-1]
    columns: dict[str, Any] = {}
    if found.outcome:
        columns["outcome"] = found.outcome
    if found.counts_retry:
        columns["retries"] = workload.retries + 1
    if found.pause_s:
        columns["retry_at"] = now() + timedelta(seconds=found.pause_s)
    if target is WorkloadState.SUCCEEDED:
        columns["exit_code"] = 0
    elif ends and workload.state != WorkloadState.STOPPING and target != WorkloadState.QUEUED:
        codes = [end.exit_code for end in ends if not end.ended_well]
        columns["exit_code"] = codes[0] if codes else None
    return columns


def _release_unsent(workload: Workload, actor: Actor) -> None:
    """Release at once what no node was sent; wake the nodes that hold the rest."""
    live = allocations.live_allocations(workload)
    unsent = [item for item in live if item.state == AllocationState.RESERVED]
    allocations.release_unsent([(workload, item) for item in unsent])
    wake_nodes(item.node_id for item in live if item.state != AllocationState.RELEASED)
    if workload.state == WorkloadState.STOPPING and len(unsent) == len(live):
        advance_workload(workload, actor=actor)


def lose_node_work(
    work: allocations.NodeAllocations, ends: Collection[ProvenEnd], *, actor: Actor
) -> None:
    """End work on a silent node that is proven gone; what is kept stays as it is."""
    over = {end.key for end in ends}
    bound = [
        item
        for item in work.allocations
        if item.state == AllocationState.BOUND and (item.wire_name, item.epoch) in over
    ]
    allocations.mark_lost(bound)
    apply_reconciliation(work, Reconciliation(seen=(), ends=tuple(ends), acks=()), actor=actor)
