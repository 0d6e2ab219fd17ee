"""What evicting running work would free, node by node: counted on copies, without the ledger.

This is the cheap first cut of `victims.py`, as Kubernetes preemption first counts victims per node
(`selectVictimsOnNode`) before it decides.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from scheduler.core.capacity.filters import count_replicas, count_whole_gpu_replicas
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId, PendingWorkload, Request, RunningWorkload
from scheduler.core.model.plan import EvictionCause


@dataclass(frozen=True, slots=True)
class EvictionCandidate:
    """Running work that a rule allows to evict, and by which rule."""

    work: RunningWorkload
    cause: EvictionCause
    lost: int
    """Milli-GPU-seconds of work that evicting it would lose."""
    may_evict: Callable[[], bool] = lambda: True
    """Checked again once earlier victims are gone: a group loses only what is above its share."""

    @property
    def rank(self) -> tuple[int, int, str]:
        """Sorts by the least lost work, then by the lowest priority."""
        return self.lost, self.work.priority, self.work.id


@dataclass(frozen=True, slots=True)
class NodeVictims:
    """The victims on one node, and how many more replicas fit there without them."""

    node: NodeId
    replicas_gained: int
    lost: int
    candidates: tuple[EvictionCandidate, ...]

    @property
    def rank(self) -> tuple[int, int, NodeId]:
        """Sorts by the least lost per replica, in millionths of a milli-GPU-second."""
        return self.lost * 1_000_000 // self.replicas_gained, len(self.candidates), self.node


def find_node_victims(
    workload: PendingWorkload, ranked: Iterable[EvictionCandidate], ledger: Ledger
) -> tuple[int, list[NodeVictims]]:
    """Return how many replicas the pool takes now, and the cheapest victims of each node.

    On each node candidates are evicted in the order given, up to where a replica costs least.
    """
    request, view = workload.request, ledger.capacity_for(workload, workload.pool)
    counts = view.matrix.count_replicas(request)
    fitting = dict(zip(view.matrix.nodes, counts.tolist(), strict=True))
    found = []
    for node, candidates in _by_node(ranked).items():
        if node in fitting:
            victims = _cheapest(request, view[node], fitting[node], candidates)
            found += [victims] if victims else []
    return int(counts.sum()), found


def _by_node(ranked: Iterable[EvictionCandidate]) -> dict[NodeId, list[EvictionCandidate]]:
    on: dict[NodeId, list[EvictionCandidate]] = defaultdict(list)
    for candidate in ranked:
        placements = candidate.work.placements
        # Nearly all work is on one node: the set is made for gangs only.
        nodes = {placement.node for placement in placements} if len(placements) > 1 else ()
        for node in nodes or (placements[0].node,):
            on[node].append(candidate)
    return on


def _cheapest(
    request: Request, node: NodeCapacity, fitting: int, candidates: Sequence[EvictionCandidate]
) -> NodeVictims | None:
    """Return the first so many candidates that free a replica at the least loss; None if none do."""
    best: NodeVictims | None = None
    lost = 0
    is_plain = request.gpus > 0 and not request.constrains_cards
    counted = _count_whole_gpus if is_plain else _count_exactly
    for number, replicas in enumerate(counted(request, node, candidates), start=1):
        lost += candidates[number - 1].lost
        gained = replicas - fitting
        # lost / gained, compared without division
        if gained > 0 and (best is None or lost * best.replicas_gained < best.lost * gained):
            best = NodeVictims(node.node, gained, lost, tuple(candidates[:number]))
        if replicas >= request.replicas:
            break
    return best


def _count_exactly(
    request: Request, node: NodeCapacity, candidates: Iterable[EvictionCandidate]
) -> Iterator[int]:
    """Yield how many replicas fit after each further eviction."""
    for candidate in candidates:
        held = candidate.work.request
        for placement in candidate.work.placements:
            if placement.node == node.node:
                node = node.after_releasing(
                    placement.devices,
                    held.cpu_milli,
                    held.memory_mib,
                    held.gpu_milli,
                    held.gpu_memory_mib,
                )
        yield count_replicas(request, node)


def _count_whole_gpus(
    request: Request, node: NodeCapacity, candidates: Iterable[EvictionCandidate]
) -> Iterator[int]:
    """Yield the same for whole cards of any model, of which only the number matters: faster."""
    gpus, cpu, memory = len(node.whole_cards()), node.cpu_milli, node.memory_mib
    for candidate in candidates:
        held = candidate.work.request
        for placement in candidate.work.placements:
            if placement.node == node.node:
                gpus += held.gpus
                cpu += held.cpu_milli
                memory += held.memory_mib
        yield count_whole_gpu_replicas(request, gpus, cpu, memory)
