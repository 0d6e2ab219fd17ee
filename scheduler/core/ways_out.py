"""Ways out of a wait: what would let one workload start now, each tried by the code that decides.

Tried are a shorter time limit (so that it ends before a reserved start, or inside a budget), fewer
GPUs, interruptible work, another pool, and the end of other work of the same owner. Every try decides
on the whole queue, so there are few of them, and only for a workload that someone asks about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from scheduler.core.cycle import Decision
from scheduler.core.dry_run import Outlook
from scheduler.core.explain.holders import find_holders
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    PendingWorkload,
    PoolId,
    Request,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reservation.reservations import backfill_until

SIZES_TRIED: Final = 4
POOLS_TRIED: Final = 3
OWN_TRIED: Final = 4
FOUND_MAX: Final = 2
"""Pools, and works to stop, that are named at the most."""
_MINUTE_S: Final = 60


class WayOutCode(StrEnum):
    """What to change. The codes never change."""

    SHORTER_LIMIT = "shorter_limit"
    FEWER_GPUS = "fewer_gpus"
    """Fewer GPUs or slices of each replica, or fewer replicas."""
    INTERRUPTIBLE = "interruptible"
    OTHER_POOL = "other_pool"
    STOP_OWN = "stop_own"
    """End other running work of the same owner."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """A change after which the workload starts now."""

    code: WayOutCode
    workload: PendingWorkload
    """As it would have to be; the same if only other work ends."""
    stops: WorkloadId | None = None


@dataclass(frozen=True, slots=True)
class AllowedChanges:
    """What of a workload its owner could change."""

    pools: Mapping[PoolId, Request] = field(default_factory=dict)
    """Other pools in which it may run, with its request in their terms."""
    may_be_interruptible: bool = False
    shortest_s: int = _MINUTE_S


def find_ways_out(
    outlook: Outlook, waiting: PendingWorkload, allowed: AllowedChanges
) -> tuple[WayOut, ...]:
    """Return changes after which a workload of this outlook starts now; empty if none is found."""
    if waiting.held or waiting.id not in outlook.after.pending:
        return ()
    search = _Search(outlook.snapshot, waiting)
    return (
        *search.try_forms(WayOutCode.SHORTER_LIMIT, _shorter(waiting, outlook.after, allowed)),
        *search.try_sizes(),
        *search.try_forms(WayOutCode.INTERRUPTIBLE, _interruptible(waiting, allowed)),
        *search.try_forms(WayOutCode.OTHER_POOL, _elsewhere(waiting, allowed)),
        *search.try_stopping(_own_work(waiting, outlook)),
    )


class _Search:
    """Tries changes of one workload, each on the same ledger, and takes them back."""

    def __init__(self, snapshot: Snapshot, waiting: PendingWorkload) -> None:
        self._ledger, self._waiting = Ledger(snapshot), waiting

    def try_forms(self, code: WayOutCode, forms: Sequence[PendingWorkload]) -> Iterator[WayOut]:
        """Yield the first forms of the workload that start now."""
        found = 0
        for form in forms:
            if found < FOUND_MAX and self._starts(form):
                found += 1
                yield WayOut(code, form)

    def try_sizes(self) -> Iterator[WayOut]:
        """Yield the largest size below the requested one that starts now, as far as tries go."""
        least, most = 1, _size_of(self._waiting.request) - 1
        best: PendingWorkload | None = None
        for _ in range(SIZES_TRIED):
            if most < least:
                break
            middle = (least + most + 1) // 2
            form = replace(self._waiting, request=_resized(self._waiting.request, middle))
            if self._starts(form):
                best, least = form, middle + 1
            else:
                most = middle - 1
        if best is not None:
            yield WayOut(WayOutCode.FEWER_GPUS, best)

    def try_stopping(self, own: Sequence[RunningWorkload]) -> Iterator[WayOut]:
        """Yield the first works without which the workload starts."""
        found = 0
        for work in own:
            if found < FOUND_MAX and self._starts(self._waiting, without=work.id):
                found += 1
                yield WayOut(WayOutCode.STOP_OWN, self._waiting, work.id)

    def _starts(self, form: PendingWorkload, *, without: WorkloadId | None = None) -> bool:
        ledger = self._ledger
        decision = Decision(ledger, ledger.now)
        before = ledger.mark()
        ledger.enqueue(form)
        if without is not None:
            ledger.release(without)
        does_start = any(start.workload == form.id for start in decision.iterate_starts())
        ledger.undo(before)
        return does_start


def _size_of(request: Request) -> int:
    """Return how many ranks it has, else GPUs or slices; 1 where nothing can be less."""
    if request.replicas > 1:
        return request.replicas
    return max(request.gpus, 0 if request.mig_profile else request.slices, 1)


def _resized(request: Request, size: int) -> Request:
    """Return the request with another size, in what `_size_of` counts."""
    if request.replicas > 1:
        return replace(request, replicas=size)
    if request.gpus:
        return replace(request, gpus=size)
    return replace(request, slices=size)


def _shorter(
    waiting: PendingWorkload, ledger: Ledger, allowed: AllowedChanges
) -> list[PendingWorkload]:
    """Return it with the time limits that end before a reserved start, and inside every budget.

    An open end is what its kind has: nothing shorter is offered.
    """
    if waiting.time_limit_s is None:
        return []
    until = backfill_until(waiting.pool, ledger)
    limits = {
        None if until is None else (until - ledger.now) // 1000,
        ledger.quotas.budgets.longest_s(waiting),
    }
    whole_minutes = {limit // _MINUTE_S * _MINUTE_S for limit in limits if limit is not None}
    return [
        replace(waiting, time_limit_s=limit, expected_s=None)
        for limit in sorted(whole_minutes, reverse=True)
        if allowed.shortest_s <= limit < waiting.time_limit_s
    ]


def _interruptible(waiting: PendingWorkload, allowed: AllowedChanges) -> list[PendingWorkload]:
    if waiting.preemptible or not allowed.may_be_interruptible:
        return []
    return [replace(waiting, preemptible=True)]


def _elsewhere(waiting: PendingWorkload, allowed: AllowedChanges) -> list[PendingWorkload]:
    return [
        replace(waiting, pool=pool, request=request)
        for pool, request in sorted(allowed.pools.items())
        if pool != waiting.pool
    ][:POOLS_TRIED]


def _own_work(waiting: PendingWorkload, outlook: Outlook) -> list[RunningWorkload]:
    """Return running work of the same owner in its pool or under its limits, idle and small first."""
    ledger = outlook.after
    holders = {
        holder.workload for limit in find_holders(waiting, ledger) for holder in limit.holders
    }
    own = [
        work
        for work in outlook.snapshot.running
        if work.user == waiting.user
        and not work.stopping
        and (work.pool == waiting.pool or work.id in holders)
    ]
    own.sort(key=lambda work: (work.idle_since is None, _size(work, ledger), work.id))
    return own[:OWN_TRIED]


def _size(work: RunningWorkload, ledger: Ledger) -> int:
    return total_gpu_milli(work, ledger.pools[work.pool])
