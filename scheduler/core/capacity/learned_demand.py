"""The demand that each pool expects: a prior of simple sizes, then what has really arrived."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from scheduler.core.capacity.pool_matrix import shape_of
from scheduler.core.model.entities import PendingWorkload, PoolId, PoolView, RunningWorkload
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.shape import Shape

Work = PendingWorkload | RunningWorkload

LEARNED_MAX: Final = 512
"""How many of the latest workloads of a snapshot are learned from."""
_PRIOR_GPUS: Final = (1, 2, 4, 8)
_AGE: Final = attrgetter("submitted_at", "id")


class LearnedDemand:
    """One demand mix for each pool, learned from arrivals."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Learn from what runs and waits, in the order of submission."""
        self._pools = {pool.id: pool for pool in snapshot.pools}
        self.by_pool: Final[dict[PoolId, DemandMix]] = {}
        asked: dict[PoolId, list[Work]] = {pool.id: [] for pool in snapshot.pools}
        for work in _latest((*snapshot.running, *snapshot.pending)):
            asked[work.pool].append(work)
        cpu = _cpu_per_card(snapshot)
        for pool in snapshot.pools:
            demand = self.by_pool[pool.id] = DemandMix()
            for shape in prior_shapes(pool, cpu.get(pool.id, 0)):
                demand.observe(shape)
            for work in asked[pool.id]:
                self.learn(work)
            demand.publish()

    def learn(self, work: Work) -> None:
        """Count one arrival."""
        pool = self._pools[work.pool]
        shape = shape_of(work.request, max(pool.slices_per_card, 1))
        if shape is not None:
            self.by_pool[work.pool].observe(shape)


def _latest(every: tuple[Work, ...]) -> list[Work]:
    """Return the work that was submitted last, oldest first.

    That is mostly at the end, so what is older than all that is there need not be sorted.
    """
    since = min((work.submitted_at for work in every[-LEARNED_MAX:]), default=0)
    recent = [work for work in every if work.submitted_at >= since]
    return sorted(recent, key=_AGE)[-LEARNED_MAX:]


def prior_shapes(pool: PoolView, cpu: int) -> Iterable[Shape]:
    """Return what a pool expects before any arrival: one of each simple size of cards or slices.

    With that, large gaps are kept large, whole cards whole, and nodes empty from the first day on.
    Each card is expected to need half of the CPU (milli) that its node has per card.
    """
    cut = pool.slices_per_card
    half = cpu // 2
    if cut == 1:
        return [Shape(gpus=cards, cpu_milli=cards * half) for cards in _PRIOR_GPUS]
    sizes = [cut >> step for step in range(1, cut.bit_length())]
    shares = [Shape(gpu_milli=size * (1000 // cut), cpu_milli=half * size // cut) for size in sizes]
    return [Shape(gpus=1, cpu_milli=half), *shares]


def _cpu_per_card(snapshot: Snapshot) -> dict[PoolId, int]:
    """Return, for each pool, the milli-CPU for each card on the median of its nodes."""
    cards = Counter(view.node for view in snapshot.accelerators)
    pools = {view.node: view.pool for view in snapshot.accelerators}
    shares: dict[PoolId, list[int]] = defaultdict(list)
    for node in snapshot.nodes:
        if node.id in cards:
            shares[pools[node.id]].append(node.cpu_milli // cards[node.id])
    return {pool: sorted(found)[len(found) // 2] for pool, found in shares.items()}
