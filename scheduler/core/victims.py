"""Whose departure lets a waiting workload start: few of them, and those that lose the least.

Everything is tried on the ledger and undone: a set of victims counts only if the whole waiting
workload fits, in rooms and in quotas, once they are gone. Nobody in the set could be left out.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scheduler.core.entities import (
    Millis,
    NodeId,
    PendingWorkload,
    RunningWorkload,
    demand,
)
from scheduler.core.filters import replicas_that_fit
from scheduler.core.gang import place_gang
from scheduler.core.ledger import Ledger
from scheduler.core.plan import EvictionCause
from scheduler.core.resources import Resource

_NODES_REFINED: Final = 4
"""Of all nodes that could be cleared, so many of the cheapest are looked at closely."""

Holders = Sequence[RunningWorkload]
"""Preemptible work that holds something in a pool, by id; the pool's own and its guests."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Running work that a rule allows to stop, and what for."""

    work: RunningWorkload
    cause: EvictionCause
    lost: int
    """Milli-card-seconds of work that stopping it would lose."""
    may_leave: Callable[[], bool] = lambda: True
    """Asked again with the victims before it gone: a group gives only what is above its share."""

    @property
    def rank(self) -> tuple[int, int, str]:
        """Who goes first: the least lost work, then the lowest priority."""
        return self.lost, self.work.priority, self.work.id


def may_stop(work: RunningWorkload, ledger: Ledger, now: Millis, protected_s: int) -> bool:
    """Tell whether it may be stopped for others at all, however good their reason is."""
    if work.stopping or not work.preemptible or _is_guaranteed_environment(work, ledger):
        return False
    return protected_s == 0 or (
        work.started_at is not None and now - work.started_at >= protected_s * 1000
    )


def lost(work: RunningWorkload, ledger: Ledger, now: Millis) -> int:
    """Return the milli-card-seconds since it was saved or, if it never was, since it began."""
    if work.started_at is None:
        return 0
    saved = max(work.checkpointed_at or work.started_at, work.started_at)
    return max(now - saved, 0) // 1000 * cards_of(work, ledger)


def cards_of(work: PendingWorkload | RunningWorkload, ledger: Ledger) -> int:
    """Return the milli-cards of all its replicas, at least 1."""
    return max(demand(work.request, ledger.pools[work.pool]).gpu * work.request.replicas, 1)


def may_start(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether nothing but room can keep it in its own pool."""
    if workload.held or not ledger.pools[workload.pool].open:
        return False
    first = ledger.kept_for.get(workload.pool)
    beside = None if first is None or first.id == workload.id else first
    return not ledger.quotas.refusals(workload, beside=beside)


def would_start(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Tell whether it could start in its own pool, on the ledger as it is."""
    yard = ledger.open[workload.pool].yard
    return (
        may_start(workload, ledger)
        and place_gang(workload.request, yard, workload.avoid) is not None
    )


def victim_sets(
    workload: PendingWorkload, candidates: Iterable[Candidate], ledger: Ledger
) -> Iterator[tuple[Candidate, ...]]:
    """Yield sets that let the workload start, the cheapest first; none has a superfluous member."""
    ranked = sorted(candidates, key=lambda candidate: candidate.rank)
    parts = _by_node(workload, ranked, ledger) if workload.request.replicas == 1 else []
    rough = [found for part in parts if (found := _enough(workload, part, ledger))]
    if not rough and (found := _enough(workload, ranked, ledger)):
        rough = [found]
    rough.sort(key=_cost)
    refined = [_only_needed(workload, found, ledger) for found in rough[:_NODES_REFINED]]
    yield from sorted(refined, key=_cost)


def _cost(chosen: Sequence[Candidate]) -> tuple[int, int, list[str]]:
    return sum(c.lost for c in chosen), len(chosen), [c.work.id for c in chosen]


def _by_node(
    workload: PendingWorkload, ranked: Iterable[Candidate], ledger: Ledger
) -> list[list[Candidate]]:
    """Group the candidates by the nodes of the workload's pool on which they hold something."""
    on: dict[NodeId, list[Candidate]] = defaultdict(list)
    for candidate in ranked:
        for node in {placement.node for placement in candidate.work.placements}:
            if ledger.pool_of.get(node) == workload.pool:
                on[node].append(candidate)
    return [part for _, part in sorted(on.items())]


def _enough(
    workload: PendingWorkload, ranked: Iterable[Candidate], ledger: Ledger
) -> tuple[Candidate, ...]:
    """Stop one after the other until the workload fits; return nothing if it never does."""
    mark = ledger.mark()
    gaps = _Gaps(workload, ledger)
    chosen: list[Candidate] = []
    fits = False
    for candidate in ranked:
        if not candidate.may_leave():
            continue
        ledger.end(candidate.work.id)
        gaps.recount(candidate.work)
        chosen.append(candidate)
        if gaps.are_enough and would_start(workload, ledger):
            fits = True
            break
    ledger.undo(mark)
    return tuple(chosen) if fits else ()


def _only_needed(
    workload: PendingWorkload, chosen: tuple[Candidate, ...], ledger: Ledger
) -> tuple[Candidate, ...]:
    """Spare whoever can be spared, those with most to lose first."""
    for candidate in reversed(chosen):
        rest = tuple(other for other in chosen if other is not candidate)
        if rest and is_enough(workload, rest, ledger):
            chosen = rest
    return chosen


def is_enough(workload: PendingWorkload, chosen: Iterable[Candidate], ledger: Ledger) -> bool:
    """Tell whether all of these may leave, and the workload starts when they have."""
    mark = ledger.mark()
    may = True
    for candidate in chosen:
        may = may and candidate.may_leave()
        ledger.end(candidate.work.id)
    starts = may and would_start(workload, ledger)
    ledger.undo(mark)
    return starts


class _Gaps:
    """How many replicas the rooms of the pool would take; recounted only where something left."""

    def __init__(self, workload: PendingWorkload, ledger: Ledger) -> None:
        self._request, self._pool = workload.request, workload.pool
        self._ledger = ledger
        rooms = ledger.open[self._pool]
        self._fitting = {n: replicas_that_fit(self._request, room) for n, room in rooms.items()}
        self._sum = sum(self._fitting.values())

    @property
    def are_enough(self) -> bool:
        return self._sum >= self._request.replicas

    def recount(self, gone: RunningWorkload) -> None:
        for node in {placement.node for placement in gone.placements} & self._fitting.keys():
            fitting = replicas_that_fit(self._request, self._ledger.open[self._pool][node])
            self._sum += fitting - self._fitting[node]
            self._fitting[node] = fitting


def _is_guaranteed_environment(work: RunningWorkload, ledger: Ledger) -> bool:
    """Tell whether stopping an environment would cut into its group's guarantee."""
    if work.kind != "environment":
        return False
    cards = cards_of(work, ledger)
    return any(
        row.used - cards < row.guarantee
        for row in ledger.quotas.rows_over(work)
        if row.resource is Resource.GPU
    )
