"""The sets of victims whose eviction lets a waiting workload start: few, and with the least loss.

Each set is tried on the ledger and undone: it counts only if the whole waiting workload fits, in
capacity and in quotas, once the victims are gone. No set has a member that could have stayed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import attrgetter
from typing import Final

from scheduler.core.actions.node_victims import (
    EvictionCandidate,
    NodeVictims,
    find_node_victims,
)
from scheduler.core.capacity.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, Placement, RunningWorkload, WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.model.resources import Resource

_NODES_TRIED: Final = 16
"""How many of the cheapest nodes are tried."""
_SETS_REFINED: Final = 4
"""How many of the sets that suffice are looked at closely."""
_CANDIDATES_TRIED: Final = 128
"""Where no single node suffices, so many candidates with the least loss are tried in turn."""

Fits = Callable[[PendingWorkload, Ledger], bool]
"""Whether waiting work could start, on the ledger as it is."""
Holders = Sequence[RunningWorkload]
"""Preemptible work that holds something in a pool, by id: the pool's own, and borrowers."""


def is_evictable(work: RunningWorkload, ledger: Ledger, protected_s: int) -> bool:
    """Return whether the work may be evicted at all: preemptible, and past its protected time.

    What is on a silent node cannot be stopped, so its eviction would free nothing.
    """
    if work.stopping or not work.preemptible or _is_inside_guarantee(work, ledger):
        return False
    if ledger.silent_nodes and any(part.node in ledger.silent_nodes for part in work.placements):
        return False
    return protected_s == 0 or (
        work.started_at is not None and ledger.now - work.started_at >= protected_s * 1000
    )


def make_candidate(
    work: RunningWorkload, cause: EvictionCause, ledger: Ledger
) -> EvictionCandidate:
    """Return the work as a candidate, with what its eviction at this moment would lose."""
    return EvictionCandidate(work, cause, lost_gpu_milli_s(work, ledger))


def lost_gpu_milli_s(work: RunningWorkload, ledger: Ledger) -> int:
    """Return the milli-GPU-seconds since the last checkpoint or, without one, since the start."""
    if work.started_at is None:
        return 0
    saved = max(work.checkpointed_at or work.started_at, work.started_at)
    return max(ledger.now - saved, 0) // 1000 * total_gpu_milli(work, ledger.pools[work.pool])


def is_eligible(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Return whether only a lack of capacity can keep it from starting in its own pool."""
    if workload.held or not ledger.pools[workload.pool].is_open:
        return False
    return not ledger.refusals(workload)


def find_unreserved(workload: PendingWorkload, ledger: Ledger) -> tuple[Placement, ...] | None:
    """Return where it fits into the unreserved capacity of its own pool, or None."""
    request = ledger.narrow(workload)
    if request is None:
        return None
    view = ledger.capacity_for(workload, workload.pool)
    return place_gang(request, view.matrix, workload.avoid, workload.contents)


def fits_now(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Return whether it could start in its own pool, on the ledger as it is."""
    return is_eligible(workload, ledger) and find_unreserved(workload, ledger) is not None


def find_sufficient(
    workload: PendingWorkload,
    candidates: Iterable[EvictionCandidate],
    ledger: Ledger,
    fits: Fits,
) -> tuple[EvictionCandidate, ...]:
    """Return candidates with the least loss without which the workload fits; empty if none do."""
    ranked = sorted(candidates, key=attrgetter("rank"))[:_CANDIDATES_TRIED]
    found = _first_sufficient(workload, ranked, ledger, fits)
    return _spare_superfluous(workload, found, ledger, fits)


def find_victim_sets(
    workload: PendingWorkload, candidates: Iterable[EvictionCandidate], ledger: Ledger
) -> Iterator[tuple[EvictionCandidate, ...]]:
    """Yield sets that let the workload start, the cheapest first; none has a superfluous member."""
    ranked = sorted(candidates, key=attrgetter("rank"))
    rough = list(islice(_find_rough_sets(workload, ranked, ledger), _SETS_REFINED))
    refined = [_spare_superfluous(workload, found, ledger) for found in sorted(rough, key=_cost)]
    yield from sorted(refined, key=_cost)


def _cost(victims: Sequence[EvictionCandidate]) -> tuple[int, int, list[str]]:
    return sum(v.lost for v in victims), len(victims), [v.work.id for v in victims]


def _find_rough_sets(
    workload: PendingWorkload, ranked: Sequence[EvictionCandidate], ledger: Ledger
) -> Iterator[tuple[EvictionCandidate, ...]]:
    """Yield sets that suffice: from the cheapest nodes, else the candidates with the least loss."""
    fitting, by_node = find_node_victims(workload, ranked, ledger)
    missing = workload.request.replicas - fitting
    if missing > sum(victims.replicas_gained for victims in by_node):
        return
    found = False
    for candidates in _from_cheapest_nodes(missing, by_node):
        if victims := _first_sufficient(workload, candidates, ledger):
            found = True
            yield victims
    if not found and (victims := _first_sufficient(workload, ranked[:_CANDIDATES_TRIED], ledger)):
        yield victims


def _from_cheapest_nodes(
    missing: int, by_node: Sequence[NodeVictims]
) -> Iterator[tuple[EvictionCandidate, ...]]:
    """Yield the victims of each of the cheapest nodes; for a gang, of so many nodes together."""
    cheapest = sorted(by_node, key=attrgetter("rank"))
    if missing <= 1:
        yield from (node.candidates for node in cheapest[:_NODES_TRIED] if missing == 1)
        return
    together: dict[WorkloadId, EvictionCandidate] = {}
    for node in cheapest:
        together |= {candidate.work.id: candidate for candidate in node.candidates}
        missing -= node.replicas_gained
        if missing <= 0:
            break
    yield tuple(sorted(together.values(), key=attrgetter("rank")))


def _first_sufficient(
    workload: PendingWorkload,
    ranked: Iterable[EvictionCandidate],
    ledger: Ledger,
    fits_without: Fits = fits_now,
) -> tuple[EvictionCandidate, ...]:
    """Evict one after the other until the workload fits; return nothing if it never does."""
    mark = ledger.mark()
    victims: list[EvictionCandidate] = []
    fits = False
    for candidate in ranked:
        if not _is_still_evictable(candidate, ledger):
            continue
        ledger.release(candidate.work.id)
        victims.append(candidate)
        if fits_without(workload, ledger):
            fits = True
            break
    ledger.undo(mark)
    return tuple(victims) if fits else ()


def _spare_superfluous(
    workload: PendingWorkload,
    victims: tuple[EvictionCandidate, ...],
    ledger: Ledger,
    fits_without: Fits = fits_now,
) -> tuple[EvictionCandidate, ...]:
    """Leave out each victim that is not needed, those with most to lose first."""
    for candidate in reversed(victims):
        rest = tuple(other for other in victims if other is not candidate)
        if rest and is_sufficient(workload, rest, ledger, fits_without):
            victims = rest
    return victims


def is_sufficient(
    workload: PendingWorkload,
    victims: Iterable[EvictionCandidate],
    ledger: Ledger,
    fits_without: Fits = fits_now,
) -> bool:
    """Return whether all of these may be evicted, and the workload starts once they are gone."""
    mark = ledger.mark()
    may_evict = True
    for candidate in victims:
        may_evict = may_evict and _is_still_evictable(candidate, ledger)
        ledger.release(candidate.work.id)
    starts = may_evict and fits_without(workload, ledger)
    ledger.undo(mark)
    return starts


def _is_still_evictable(candidate: EvictionCandidate, ledger: Ledger) -> bool:
    """Return whether it may be evicted after the victims before it: each alone might, not both."""
    return candidate.may_evict() and not _is_inside_guarantee(candidate.work, ledger)


def may_become_guaranteed(work: RunningWorkload, ledger: Ledger) -> bool:
    """Return whether the work is inside a guarantee once other work of its group has ended."""
    return work.traits.guaranteed and any(
        row.guarantee > 0 for row in ledger.quotas.rows_over(work) if row.resource is Resource.GPU
    )


def _is_inside_guarantee(work: RunningWorkload, ledger: Ledger) -> bool:
    """Return whether stopping this work would cut into its group's guarantee."""
    if not work.traits.guaranteed:
        return False
    gpu_milli = total_gpu_milli(work, ledger.pools[work.pool])
    return any(
        row.used - gpu_milli < row.guarantee
        for row in ledger.quotas.rows_over(work)
        if row.resource is Resource.GPU
    )
