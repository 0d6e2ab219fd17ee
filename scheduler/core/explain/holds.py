"""Why each workload waits, by the same rules that started the others.

The answers are read from the ledger after the last decision, so their numbers match the boards.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scheduler.core.actions.lending import find_lenders, gpus_to_keep
from scheduler.core.capacity.filters import Shortfall, find_shortfall
from scheduler.core.capacity.gang import place_gang
from scheduler.core.capacity.pool_matrix import PoolMatrix
from scheduler.core.explain.open_ends import OpenEndReasons
from scheduler.core.explain.reserved import ReservedReasons
from scheduler.core.ledger import Ledger
from scheduler.core.model.calendar import next_window_change
from scheduler.core.model.card_kind import describe_choice
from scheduler.core.model.entities import PendingWorkload, PoolId, Request, WorkloadId
from scheduler.core.model.plan import DeferredEviction, EvictionPlans, Hold, PlannedEviction
from scheduler.core.model.reasons import (
    NOT_ELIGIBLE,
    Reason,
    ReasonCode,
    ReasonParams,
    sort_by_severity,
)
from scheduler.core.reservation.expected_start import HEAD, EstimateDepth, estimate_starts

Reasons = tuple[Reason, ...]
_NONE: Final[Reasons] = ()
_SHORT: Final = frozenset(
    {ReasonCode.GANG_INCOMPLETE, ReasonCode.FRAGMENTED, ReasonCode.INSUFFICIENT_NOW}
)
"""Reasons that end as running work does."""


def explain_waiting(
    waiting: Sequence[PendingWorkload],
    ledger: Ledger,
    plans: EvictionPlans,
    depth: EstimateDepth = HEAD,
) -> tuple[Hold, ...]:
    """Return a position and at least one reason for each workload, in the order given.

    Work that is not eligible yet, such as work on hold, comes behind all that is.
    """
    reasons_of = _Reasons(waiting, ledger, plans)
    expected = estimate_starts(waiting, ledger, plans, depth)
    positions = _positions(waiting)
    return tuple(
        Hold(
            workload.id,
            workload.pool,
            positions[workload.id],
            reasons_of(workload),
            expected.get(workload.id),
        )
        for workload in waiting
    )


def _positions(waiting: Sequence[PendingWorkload]) -> Mapping[WorkloadId, int]:
    """Return the place of each workload in the queue of its pool."""
    last = dict.fromkeys([workload.pool for workload in waiting], 0)
    found: dict[WorkloadId, int] = {}
    behind = [workload for workload in waiting if workload.held and _is_not_eligible(workload)]
    ids = {workload.id for workload in behind}
    ahead = [workload for workload in waiting if workload.id not in ids] if behind else waiting
    for workload in (*ahead, *behind):
        pool = workload.pool
        found[workload.id] = last[pool] = last[pool] + 1
    return found


def _is_not_eligible(workload: PendingWorkload) -> bool:
    return any(reason.code in NOT_ELIGIBLE for reason in workload.held)


def explain_impossible(workload: PendingWorkload, ledger: Ledger) -> Reasons:
    """Return why the workload could not start even if nothing else ran; empty if it could.

    What does not fit on the hardware of its pool cannot. While no node has joined there is none: then it could.
    """
    if not _has_hardware(workload.pool, ledger):
        return _NONE
    return _impossible(workload.request, workload.pool, ledger)


class _Reasons:
    """The reasons on one ledger: equal requests share the search for capacity, equal work the answer."""

    def __init__(
        self,
        waiting: Iterable[PendingWorkload],
        ledger: Ledger,
        plans: EvictionPlans,
    ) -> None:
        self._ledger = ledger
        self._reserved = ReservedReasons(ledger)
        self._open_ends = OpenEndReasons(ledger, plans)
        self._positions = _positions_of_first_blocked(waiting, ledger)
        self._allocations_leaving = _count_leaving(ledger, plans.evictions)
        self._deferred = {each.beneficiary: each for each in plans.deferred}
        self._by_request: dict[tuple[PoolId, Request], Reasons] = {}
        self._member_key = ledger.quotas.member_key
        self._known: dict[tuple[object, ...], Reasons] = {}
        """The answer to all work that is equal in everything that an answer depends on."""

    def __call__(self, workload: PendingWorkload) -> Reasons:
        if workload.held:
            return sort_by_severity(workload.held)
        if allocations := self._allocations_leaving.get(workload.id):
            return (Reason(ReasonCode.WAITING_FOR_EVICTION, {"allocations": allocations}),)
        if deferred := self._deferred.get(workload.id):
            return (_protected(deferred),)
        alike = (
            *(
                workload.pool,
                workload.group,
                workload.request,
                workload.preemptible,
                workload.traits,
            ),
            self._member_key(workload),
            self._reserved.key(workload),
        )
        found = self._known.get(alike)
        if found is None:
            found = self._known[alike] = self._found(workload)
        return found

    def _found(self, workload: PendingWorkload) -> Reasons:
        pool = self._ledger.pools[workload.pool]
        closed = () if pool.is_open else (Reason(ReasonCode.POOL_CLOSED, {"pool": pool.name}),)
        limits = self._ledger.quotas.refusals(workload)
        capacity = self._capacity(workload) or self._reserved.find(workload)
        found = (*closed, *limits, *capacity, *self._calendar(workload))
        return sort_by_severity(found) or (self._behind(workload),)

    def _capacity(self, workload: PendingWorkload) -> Reasons:
        key = (workload.pool, workload.request)
        found = self._by_request.get(key)
        if found is None:
            found = _capacity_reasons(workload.request, workload.pool, self._ledger)
            if any(reason.code in _SHORT for reason in found):
                found = (*self._open_ends.find(workload.request, workload.pool), *found)
            self._by_request[key] = found
        return found

    def _calendar(self, workload: PendingWorkload) -> Reasons:
        """Return the pools that lend to this work, but not at this time of the week."""
        ledger = self._ledger
        reasons = []
        for lender in find_lenders(workload, ledger) if workload.request.gpus else ():
            policy, clock = ledger.pools[lender.pool].policy, ledger.clock
            if lender.by_calendar and gpus_to_keep(policy, ledger.now, clock) is None:
                opens_at = next_window_change(policy.lending.windows, ledger.now, clock)
                params: ReasonParams = {
                    "pool": ledger.pools[lender.pool].name,
                    "opens_at": opens_at or 0,
                }
                reasons.append(Reason(ReasonCode.WAITING_FOR_CALENDAR, params))
        return tuple(reasons)

    def _behind(self, workload: PendingWorkload) -> Reason:
        """Return the reservation that it may not delay: no other reason is left."""
        pool = self._ledger.pools[workload.pool].name
        position = self._positions.get(workload.pool, 1)
        return Reason(ReasonCode.BEHIND_RESERVATION, {"pool": pool, "position": position})


def _protected(deferred: DeferredEviction) -> Reason:
    params: ReasonParams = {
        "workloads": len(deferred.victims),
        "protected_s": deferred.protected_s,
        "ends_at": deferred.at,
    }
    return Reason(ReasonCode.PROTECTED_RUN_TIME, params)


def _positions_of_first_blocked(
    waiting: Iterable[PendingWorkload], ledger: Ledger
) -> Mapping[PoolId, int]:
    """Return the place in its queue of the first blocked workload of each pool."""
    positions: Counter[PoolId] = Counter()
    found: dict[PoolId, int] = {}
    for workload in waiting:
        if len(found) == len(ledger.starts.first_blocked):
            break
        if _is_not_eligible(workload):
            continue
        positions[workload.pool] += 1
        first = ledger.starts.first_blocked.get(workload.pool)
        if first is not None and first.id == workload.id:
            found[workload.pool] = positions[workload.pool]
    return found


def _count_leaving(
    ledger: Ledger, evictions: Iterable[PlannedEviction]
) -> Mapping[WorkloadId, int]:
    """Return how many allocations are stopping, or planned to, for each workload."""
    leaving: Counter[WorkloadId] = Counter()
    for work in ledger.stopping.values():
        if work.stopping_for is not None:
            leaving[work.stopping_for] += len(work.placements)
    for evict in evictions:
        work = ledger.running[evict.workload]
        if evict.beneficiary is not None:
            leaving[evict.beneficiary] += len(work.placements)
    return leaving


def _capacity_reasons(request: Request, pool: PoolId, ledger: Ledger) -> Reasons:
    """Return the reason of the largest capacity view in which the request does not fit."""
    free = ledger.free[pool].matrix
    lack = find_shortfall(request, free)
    if request.home_nodes and place_gang(request, free) is None:
        return (_home_reason(request),)
    if lack is None:
        return _NONE
    if reasons := _hardware_reasons(request, pool, ledger):
        return reasons
    if weak := find_shortfall(request, ledger.enforcing[pool].matrix):
        isolation = ledger.pools[pool].policy.isolation.value
        params: ReasonParams = {"isolation": isolation, **_at_most(weak)}
        return (Reason(ReasonCode.ISOLATION_UNAVAILABLE, params),)
    usable = ledger.usable[pool].matrix
    if unavailable := find_shortfall(request, usable):
        return _no_matching_model(request, pool, ledger, usable) or (_unavailable(unavailable),)
    return (_short(lack, _instead(request, free)),)


def _home_reason(request: Request) -> Reason:
    """Return why none of the nodes that a request is bound to will do."""
    if request.builds_image:
        return Reason(ReasonCode.BUILDER_UNAVAILABLE, {})
    return Reason(ReasonCode.HOME_UNAVAILABLE, {})


def _has_hardware(pool: PoolId, ledger: Ledger) -> bool:
    """Return whether a node of the pool has joined, whatever has become of it but its retirement."""
    return any(capacity.cards for capacity in ledger.installed[pool].values())


def _hardware_reasons(request: Request, pool: PoolId, ledger: Ledger) -> Reasons:
    """Return why the pool could not start it even if nothing else ran there."""
    if _has_hardware(pool, ledger):
        return _impossible(request, pool, ledger)
    return (Reason(ReasonCode.POOL_HAS_NO_NODES_YET, {"pool": ledger.pools[pool].name}),)


def _impossible(request: Request, pool: PoolId, ledger: Ledger) -> Reasons:
    matrix = ledger.installed[pool].matrix
    if reasons := _no_matching_model(request, pool, ledger, matrix):
        return reasons
    lack = find_shortfall(request, matrix)
    return (_never_fits(lack),) if lack else _NONE


def _no_matching_model(
    request: Request, pool: PoolId, ledger: Ledger, matrix: PoolMatrix
) -> Reasons:
    """Return that no card of a view is one that the request chooses, and how many are installed."""
    needs_cards = request.gpus or request.slices or request.gpu_milli
    if not (needs_cards and request.chooses_cards) or matrix.count_chosen(request):
        return _NONE
    params: ReasonParams = {
        "model": describe_choice(request),
        "pool": ledger.pools[pool].name,
        "installed": ledger.installed[pool].matrix.count_chosen(request),
    }
    return (Reason(ReasonCode.NO_MATCHING_MODEL, params),)


def _instead(request: Request, free: PoolMatrix) -> ReasonParams:
    """Return the models of cards on which the request would start now, whatever it asked for."""
    if not request.constrains_cards:
        return {}
    others = [
        model
        for model in sorted(free.models)
        if find_shortfall(_of_model(request, model), free) is None
    ]
    return {"instead": ", ".join(others)} if others else {}


def _of_model(request: Request, model: str) -> Request:
    """Return the request for cards of one model, whatever it chose them by."""
    return replace(
        request,
        gpu_models=frozenset({model}),
        gpu_memory_min_mib=0,
        gpu_features=frozenset(),
        gpu_bandwidth_min_gbps=0,
    )


def _never_fits(lack: Shortfall) -> Reason:
    return Reason(ReasonCode.NEVER_FITS, _at_most(lack))


def _unavailable(lack: Shortfall) -> Reason:
    return Reason(ReasonCode.NODE_UNAVAILABLE, _at_most(lack))


def _at_most(lack: Shortfall) -> ReasonParams:
    return {"resource": lack.resource, "requested": lack.requested, "most": lack.largest}


def _short(lack: Shortfall, advice: ReasonParams) -> Reason:
    """Return the reason for a shortfall: too little is free, or enough in too small pieces."""
    params: dict[str, int | str]
    if lack.resource == "replicas":
        params = {"placeable": lack.largest, "ranks": lack.requested, **advice}
        return Reason(ReasonCode.GANG_INCOMPLETE, params)
    params = {"resource": lack.resource, "requested": lack.requested}
    if lack.is_fragmented:
        params |= {"free": lack.total, "largest": lack.largest, **advice}
        return Reason(ReasonCode.FRAGMENTED, params)
    params["free"] = lack.total if lack.is_in_devices else lack.largest
    return Reason(ReasonCode.INSUFFICIENT_NOW, {**params, **advice})
