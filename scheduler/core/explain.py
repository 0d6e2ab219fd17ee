"""Why each workload waits, from the same rules that placed the others.

The answers are read from the ledger after the last decision, so their numbers are the board's.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from scheduler.core.entities import PendingWorkload, PoolId, Request, WorkloadId
from scheduler.core.filters import Shortfall, shortfall
from scheduler.core.ledger import Ledger
from scheduler.core.plan import Hold
from scheduler.core.reasons import Params, Reason, ReasonCode, by_severity
from scheduler.core.room import Room


def explain(waiting: Sequence[PendingWorkload], ledger: Ledger) -> tuple[Hold, ...]:
    """Return a position and at least one reason for each workload, in the order given."""
    positions = _positions(waiting)
    reasons_of = _Reasons(ledger, positions)
    return tuple(
        Hold(workload.id, workload.pool, positions[workload.id], reasons_of(workload))
        for workload in waiting
    )


def impossible(workload: PendingWorkload, ledger: Ledger) -> tuple[Reason, ...]:
    """Return why the workload could not start even if nobody held anything; empty if it could."""
    models = workload.request.models
    rooms = ledger.installed[workload.pool]
    if models and not _offers(rooms.values(), models):
        return (Reason(ReasonCode.NO_MATCHING_MODEL, {"model": ", ".join(sorted(models))}),)
    lack = shortfall(workload.request, rooms.yard)
    return (_never_fits(lack),) if lack else ()


class _Reasons:
    """Answers for one ledger. Equal requests share the search of the rooms."""

    def __init__(self, ledger: Ledger, positions: dict[WorkloadId, int]) -> None:
        self._ledger = ledger
        self._positions = positions
        self._by_shape: dict[tuple[PoolId, Request], tuple[Reason, ...]] = {}

    def __call__(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        if workload.held:
            return by_severity(workload.held)
        pool = self._ledger.pools[workload.pool]
        closed = () if pool.open else (Reason(ReasonCode.POOL_CLOSED, {"pool": pool.name}),)
        limits = self._ledger.quotas.refusals(workload)
        found = (*closed, *limits, *self._capacity(workload))
        return by_severity(found) or (self._behind(workload),)

    def _capacity(self, workload: PendingWorkload) -> tuple[Reason, ...]:
        shape = (workload.pool, workload.request)
        if shape not in self._by_shape:
            self._by_shape[shape] = _capacity_reasons(workload, self._ledger)
        return self._by_shape[shape]

    def _behind(self, workload: PendingWorkload) -> Reason:
        """Name the place in the queue for which room is kept: nothing else is left to stop it."""
        first = self._ledger.kept_for[workload.pool]
        pool = self._ledger.pools[workload.pool].name
        position = self._positions[first.id]
        return Reason(ReasonCode.BEHIND_RESERVATION, {"pool": pool, "position": position})


def _positions(waiting: Iterable[PendingWorkload]) -> dict[WorkloadId, int]:
    """Number the workloads of each pool from 1."""
    waiting_in: Counter[PoolId] = Counter()
    positions = {}
    for workload in waiting:
        waiting_in[workload.pool] += 1
        positions[workload.id] = waiting_in[workload.pool]
    return positions


def _capacity_reasons(workload: PendingWorkload, ledger: Ledger) -> tuple[Reason, ...]:
    """Name the largest view of the cluster in which the workload does not fit."""
    if reasons := impossible(workload, ledger):
        return reasons
    request, pool = workload.request, workload.pool
    if lack := shortfall(request, ledger.usable[pool].yard):
        return (_unavailable(lack),)
    if lack := shortfall(request, ledger.free[pool].yard):
        return (_short(lack),)
    return ()


def _offers(rooms: Iterable[Room], models: frozenset[str]) -> bool:
    return any(card.view.model in models for card in chain.from_iterable(r.cards for r in rooms))


def _never_fits(lack: Shortfall) -> Reason:
    return Reason(ReasonCode.NEVER_FITS, _at_most(lack))


def _unavailable(lack: Shortfall) -> Reason:
    return Reason(ReasonCode.NODE_UNAVAILABLE, _at_most(lack))


def _at_most(lack: Shortfall) -> Params:
    return {"resource": lack.resource, "requested": lack.requested, "most": lack.largest}


def _short(lack: Shortfall) -> Reason:
    """Tell a lack of capacity from capacity in the wrong pieces."""
    params: dict[str, int | str]
    if lack.resource == "replicas":
        params = {"placeable": lack.largest, "ranks": lack.requested}
        return Reason(ReasonCode.GANG_INCOMPLETE, params)
    params = {"resource": lack.resource, "requested": lack.requested}
    if lack.is_fragmented:
        params |= {"free": lack.total, "largest": lack.largest}
        return Reason(ReasonCode.FRAGMENTED, params)
    params["free"] = lack.total if lack.is_in_devices else lack.largest
    return Reason(ReasonCode.INSUFFICIENT_NOW, params)
