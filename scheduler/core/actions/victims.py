"""Whose departure lets a waiting workload start: few of them, and those that lose the least.

Everything is tried on the ledger and undone: a set of victims counts only if the whole waiting
workload fits, in rooms and in quotas, once they are gone. Nobody in the set could be left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Final

from scheduler.core.actions.node_victims import EvictionCandidate, NodeVictims, find_node_victims
from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    Millis,
    PendingWorkload,
    RunningWorkload,
    WorkloadId,
    demand_per_replica,
)
from scheduler.core.model.resources import Resource

_NODES_TRIED: Final = 16
"""Of all nodes that could be cleared, so many of the cheapest are tried."""
_NODES_REFINED: Final = 4
"""Of the sets that are enough, so many are looked at closely."""
_TRIED_MAX: Final = 128
"""Where no node can be cleared for it, so many of those who lose least are tried one by one."""

Holders = Sequence[RunningWorkload]
"""Preemptible work that holds something in a pool, by id; the pool's own and its guests."""


def is_evictable(work: RunningWorkload, ledger: Ledger, now: Millis, protected_s: int) -> bool:
    """Tell whether it may be stopped for others at all, however good their reason is."""
    if work.stopping or not work.preemptible or _is_guaranteed_environment(work, ledger):
        return False
    return protected_s == 0 or (
        work.started_at is not None and now - work.started_at >= protected_s * 1000
    )


def lost_gpu_milli_s(work: RunningWorkload, ledger: Ledger, now: Millis) -> int:
    """Return the milli-card-seconds since it was saved or, if it never was, since it began."""
    if work.started_at is None:
        return 0
    saved = max(work.checkpointed_at or work.started_at, work.started_at)
    return max(now - saved, 0) // 1000 * gpu_milli_of(work, ledger)


def gpu_milli_of(work: PendingWorkload | RunningWorkload, ledger: Ledger) -> int:
    """Return the milli-cards of all its replicas, at least 1."""
    return max(
        demand_per_replica(work.request, ledger.pools[work.pool]).gpu * work.request.replicas, 1
    )


def is_eligible(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether nothing but room can keep it in its own pool."""
    if workload.held or not ledger.pools[workload.pool].is_open:
        return False
    first = ledger.first_blocked.get(workload.pool)
    beside = None if first is None or first.id == workload.id else first
    return not ledger.quotas.refusals(workload, beside=beside)


def fits_now(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether it could start in its own pool, on the ledger as it is."""
    yard = ledger.unreserved[workload.pool].matrix
    return (
        is_eligible(workload, ledger)
        and place_gang(workload.request, yard, workload.avoid) is not None
    )


def find_victim_sets(
    workload: PendingWorkload, candidates: Iterable[EvictionCandidate], ledger: Ledger
) -> Iterator[tuple[EvictionCandidate, ...]]:
    """Yield sets that let the workload start, the cheapest first; none has a superfluous member."""
    ranked = sorted(candidates, key=attrgetter("rank"))
    rough = list(islice(_rough_sets(workload, ranked, ledger), _NODES_REFINED))
    refined = [_only_needed(workload, found, ledger) for found in sorted(rough, key=_cost)]
    yield from sorted(refined, key=_cost)


def _cost(chosen: Sequence[EvictionCandidate]) -> tuple[int, int, list[str]]:
    return sum(c.lost for c in chosen), len(chosen), [c.work.id for c in chosen]


def _rough_sets(
    workload: PendingWorkload, ranked: Sequence[EvictionCandidate], ledger: Ledger
) -> Iterator[tuple[EvictionCandidate, ...]]:
    """Yield sets that are enough, from the cheapest nodes to clear; then whoever loses least."""
    free, clearings = find_node_victims(workload, ranked, ledger)
    missing = workload.request.replicas - free
    if missing > sum(clearing.replicas_gained for clearing in clearings):
        return
    found = False
    for leave in _by_nodes(missing, clearings):
        if enough := _enough(workload, leave, ledger):
            found = True
            yield enough
    if not found and (enough := _enough(workload, ranked[:_TRIED_MAX], ledger)):
        yield enough


def _by_nodes(
    missing: int, clearings: Sequence[NodeVictims]
) -> Iterator[tuple[EvictionCandidate, ...]]:
    """Yield each of the cheapest nodes for one replica; for a gang, so many of them together."""
    cheapest = sorted(clearings, key=attrgetter("rank"))
    if missing <= 1:
        yield from (clearing.candidates for clearing in cheapest[:_NODES_TRIED] if missing == 1)
        return
    leave: dict[WorkloadId, EvictionCandidate] = {}
    for clearing in cheapest:
        leave |= {candidate.work.id: candidate for candidate in clearing.candidates}
        missing -= clearing.replicas_gained
        if missing <= 0:
            break
    yield tuple(sorted(leave.values(), key=attrgetter("rank")))


def _enough(
    workload: PendingWorkload, ranked: Iterable[EvictionCandidate], ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Stop one after the other until the workload fits; return nothing if it never does."""
    mark = ledger.mark()
    chosen: list[EvictionCandidate] = []
    fits = False
    for candidate in ranked:
        if not _may_still_leave(candidate, ledger):
            continue
        ledger.release(candidate.work.id)
        chosen.append(candidate)
        if fits_now(workload, ledger):
            fits = True
            break
    ledger.undo(mark)
    return tuple(chosen) if fits else ()


def _only_needed(
    workload: PendingWorkload, chosen: tuple[EvictionCandidate, ...], ledger: Ledger
) -> tuple[EvictionCandidate, ...]:
    """Spare whoever can be spared, those with most to lose first."""
    for candidate in reversed(chosen):
        rest = tuple(other for other in chosen if other is not candidate)
        if rest and is_enough(workload, rest, ledger):
            chosen = rest
    return chosen


def is_enough(
    workload: PendingWorkload, chosen: Iterable[EvictionCandidate], ledger: Ledger
) -> bool:
    """Tell whether all of these may leave, and the workload starts when they have."""
    mark = ledger.mark()
    may = True
    for candidate in chosen:
        may = may and _may_still_leave(candidate, ledger)
        ledger.release(candidate.work.id)
    starts = may and fits_now(workload, ledger)
    ledger.undo(mark)
    return starts


def _may_still_leave(candidate: EvictionCandidate, ledger: Ledger) -> bool:
    """Tell whether it may leave with the victims before it gone: each alone might, both not."""
    return candidate.may_evict() and not _is_guaranteed_environment(candidate.work, ledger)


def _is_guaranteed_environment(work: RunningWorkload, ledger: Ledger) -> bool:
    """Tell whether stopping an environment would cut into its group's guarantee."""
    if work.kind != "environment":
        return False
    cards = gpu_milli_of(work, ledger)
    return any(
        row.used - cards < row.guarantee
        for row in ledger.quotas.rows_over(work)
        if row.resource is Resource.GPU
    )
