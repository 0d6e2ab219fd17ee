"""What the departure of running work would free, node by node: counted, without the ledger."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from scheduler.core.capacity.filters import count_replicas
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId, PendingWorkload, Request, RunningWorkload
from scheduler.core.model.plan import EvictionCause


@dataclass(frozen=True, slots=True)
class EvictionCandidate:
    """Running work that a rule allows to stop, and what for."""

    work: RunningWorkload
    cause: EvictionCause
    lost: int
    """Milli-card-seconds of work that stopping it would lose."""
    may_evict: Callable[[], bool] = lambda: True
    """Asked again with the victims before it gone: a group gives only what is above its share."""

    @property
    def rank(self) -> tuple[int, int, str]:
        """Who goes first: the least lost work, then the lowest priority."""
        return self.lost, self.work.priority, self.work.id


@dataclass(frozen=True, slots=True)
class NodeVictims:
    """Who would leave one node, and how many more replicas it would take then."""

    node: NodeId
    replicas_gained: int
    lost: int
    candidates: tuple[EvictionCandidate, ...]

    @property
    def rank(self) -> tuple[int, int, NodeId]:
        """Least lost for each replica first, in millionths of a milli-card-second."""
        return self.lost * 1_000_000 // self.replicas_gained, len(self.candidates), self.node


def find_node_victims(
    workload: PendingWorkload, ranked: Iterable[EvictionCandidate], ledger: Ledger
) -> tuple[int, list[NodeVictims]]:
    """Return how many replicas the pool takes now, and what clearing each node would add.

    On each node they leave in the order given, and stop where a replica costs least.
    """
    request, rooms = workload.request, ledger.unreserved[workload.pool]
    counts = rooms.matrix.count_replicas(request)
    fitting = dict(zip(rooms.matrix.nodes, counts.tolist(), strict=True))
    clearings = []
    for node, candidates in _by_node(ranked).items():
        if node in fitting:
            clearing = _cheapest(request, rooms[node], fitting[node], candidates)
            clearings += [clearing] if clearing else []
    return int(counts.sum()), clearings


def _by_node(ranked: Iterable[EvictionCandidate]) -> dict[NodeId, list[EvictionCandidate]]:
    on: dict[NodeId, list[EvictionCandidate]] = defaultdict(list)
    for candidate in ranked:
        placements = candidate.work.placements
        nodes = {placement.node for placement in placements} if len(placements) > 1 else ()
        for node in nodes or (placements[0].node,):
            on[node].append(candidate)
    return on


def _cheapest(
    request: Request, room: NodeCapacity, fitting: int, candidates: Sequence[EvictionCandidate]
) -> NodeVictims | None:
    """Return the first so many candidates that free a replica at the least loss; None if none do."""
    best: NodeVictims | None = None
    lost = 0
    plain = request.gpus > 0 and not request.models and not request.min_card_memory_mib
    counting = _counted_cards if plain else _counted
    for number, replicas in enumerate(counting(request, room, candidates), start=1):
        lost += candidates[number - 1].lost
        gained = replicas - fitting
        if gained > 0 and (best is None or lost * best.replicas_gained < best.lost * gained):
            best = NodeVictims(room.node, gained, lost, tuple(candidates[:number]))
        if replicas >= request.replicas:
            break
    return best


def _counted(
    request: Request, room: NodeCapacity, candidates: Iterable[EvictionCandidate]
) -> Iterator[int]:
    """Yield how many replicas fit after each departure."""
    for candidate in candidates:
        asked = candidate.work.request
        for placement in candidate.work.placements:
            if placement.node == room.node:
                room = room.after_releasing(
                    placement.devices,
                    asked.cpu_milli,
                    asked.memory_mib,
                    asked.gpu_milli,
                    asked.gpu_memory_mib,
                )
        yield count_replicas(request, room)


def _counted_cards(
    request: Request, room: NodeCapacity, candidates: Iterable[EvictionCandidate]
) -> Iterator[int]:
    """Yield the same for whole cards of any kind, of which only the number matters."""
    cards, cpu, memory = len(room.whole_cards()), room.cpu_milli, room.memory_mib
    for candidate in candidates:
        asked = candidate.work.request
        for placement in candidate.work.placements:
            if placement.node == room.node:
                cards += asked.gpus
                cpu += asked.cpu_milli
                memory += asked.memory_mib
        fitting = min(request.replicas, cards // request.gpus)
        if request.cpu_milli:
            fitting = min(fitting, cpu // request.cpu_milli)
        if request.memory_mib:
            fitting = min(fitting, memory // request.memory_mib)
        yield max(fitting, 0)
