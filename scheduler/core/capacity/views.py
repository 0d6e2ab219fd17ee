"""The rooms of a pool, from four points of view, and how the placement kernel sees them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from typing_extensions import override

from scheduler.core.capacity.node_capacity import CardCapacity, NodeCapacity
from scheduler.core.capacity.pool_matrix import PoolInventory, PoolMatrix
from scheduler.core.model.entities import AcceleratorId, AcceleratorView, NodeId, NodeView, PoolId
from scheduler.core.model.isolation import is_isolation_sufficient
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState, NodeState
from scheduler.core.placement.demand import DemandMix

_OWNED: Final = frozenset(NodeState) - {NodeState.RETIRED}
_INSTALLED: Final = frozenset(AcceleratorState) - {AcceleratorState.GONE}
_TAKES_WORK: Final = frozenset({NodeState.READY})
_HEALTHY: Final = frozenset({AcceleratorState.OK})


class CapacityView(dict[NodeId, NodeCapacity]):
    """One room for each node. The nodes stay the same; yards are told which rooms change."""

    def __init__(
        self,
        site: PoolInventory,
        rooms: Iterable[NodeCapacity],
        mix: DemandMix | None = None,
        like: "CapacityView | None" = None,
    ) -> None:
        """Take the rooms, and the expected demand that placement is to serve.

        `like` is a view of the same nodes and cards, if there is one already.
        """
        super().__init__((room.node, room) for room in rooms)
        self._like = like if like is not None and self._has_the_cards_of(like) else None
        self._site = site
        self._mix = mix
        self._changed: list[set[NodeId]] = []

    @override
    def __setitem__(self, node: NodeId, room: NodeCapacity) -> None:
        """Change a room."""
        super().__setitem__(node, room)
        for changed in self._changed:
            changed.add(node)

    @override
    def copy(self) -> "CapacityView":
        """Return the same rooms, to be changed apart from these."""
        return CapacityView(self._site, self.values(), self._mix, like=self)

    @cached_property
    def matrix(self) -> PoolMatrix:
        """The rooms as own work of the pool may use them."""
        like = None if self._like is None else self._like.matrix
        return PoolMatrix(self, self._site, self._watch(), self._mix, like=like)

    @cached_property
    def lending_matrix(self) -> PoolMatrix:
        """The rooms as guests may use them: untouched cards, each as a whole with all slots."""
        return PoolMatrix(self, self._site, self._watch(), self._mix, lent=True)

    def _has_the_cards_of(self, other: "CapacityView") -> bool:
        """Return whether the nodes and cards are the same; of one site, it is enough to count."""
        return len(self) == len(other) and all(
            node in other and len(room.cards) == len(other[node].cards)
            for node, room in self.items()
        )

    def _watch(self) -> set[NodeId]:
        self._changed.append(set())
        return self._changed[-1]


ViewsByPool = dict[PoolId, CapacityView]


class CapacityViewBuilder:
    """The nodes of a snapshot with their cards; rooms of every view share what is equal."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Sort nodes and cards once. A node belongs to the pool of its cards, broken ones too."""
        self._pools = snapshot.pools
        on_node: dict[NodeId, list[AcceleratorView]] = defaultdict(list)
        for view in sorted(snapshot.accelerators, key=_by_index):
            on_node[view.node].append(view)
        self._nodes: list[tuple[NodeView, list[AcceleratorView]]] = [
            (node, on_node[node.id])
            for node in sorted(snapshot.nodes, key=_by_id)
            if node.id in on_node
        ]
        self._views = {node.id: node for node, _ in self._nodes}
        weakest = {pool.id: pool.policy.isolation for pool in snapshot.pools}
        self._too_weak = frozenset(
            view.id
            for view in snapshot.accelerators
            if view.isolation is not None
            and not is_isolation_sufficient(
                view.isolation, weakest[view.pool], is_cut=view.is_sliced or view.is_fractional
            )
        )
        """Cards that cannot keep tenants apart as their pool demands: they take no work."""
        most = max((view.slices for view in snapshot.accelerators), default=1)
        self._all_slots = [frozenset(range(count)) for count in range(most + 1)]

    def build_installed(self, like: ViewsByPool) -> ViewsByPool:
        """Return every node as if nothing ran and everything were healthy: what the site owns."""
        return self._rooms(_OWNED, _INSTALLED, like=like)

    def build_enforcing(self, like: ViewsByPool) -> ViewsByPool:
        """Return what is installed, without the cards that keep tenants less apart than demanded."""
        return self._rooms(_OWNED, _INSTALLED, like=like, without=self._too_weak)

    def build_usable(self, like: ViewsByPool) -> ViewsByPool:
        """Return the nodes and cards that take work today, as if nothing ran on them."""
        return self._rooms(_TAKES_WORK, _HEALTHY, like=like, without=self._too_weak)

    def build_free(self, mixes: dict[PoolId, DemandMix]) -> ViewsByPool:
        """Return what nobody holds, on the nodes and cards that take work."""
        return self._rooms(_TAKES_WORK, _HEALTHY, mixes, without=self._too_weak)

    def _rooms(
        self,
        nodes: frozenset[NodeState],
        cards: frozenset[AcceleratorState],
        mixes: Mapping[PoolId, DemandMix] | None = None,
        like: Mapping[PoolId, CapacityView] = MappingProxyType({}),
        *,
        without: frozenset[AcceleratorId] = frozenset(),
    ) -> ViewsByPool:
        """Make one view; with expected demand, it is of the work that runs."""
        rooms: dict[PoolId, list[NodeCapacity]] = {pool.id: [] for pool in self._pools}
        furnish = self._empty if mixes is None else self._as_it_is
        for node, views in self._nodes:
            if node.state in nodes:
                good = [view for view in views if view.state in cards and view.id not in without]
                rooms[views[0].pool].append(furnish(node, good))
        return {
            pool.id: CapacityView(
                PoolInventory(pool, self._views),
                rooms[pool.id],
                None if mixes is None else mixes.get(pool.id),
                like.get(pool.id),
            )
            for pool in self._pools
        }

    def _empty(self, node: NodeView, views: list[AcceleratorView]) -> NodeCapacity:
        slots = self._all_slots
        cards = tuple([CardCapacity(view, slots[view.slices]) for view in views])
        return NodeCapacity(node.id, node.cpu_milli, node.memory_mib, cards)

    def _as_it_is(self, node: NodeView, views: list[AcceleratorView]) -> NodeCapacity:
        slots = self._all_slots
        cards = tuple(
            [
                CardCapacity(
                    view,
                    slots[view.slices] - view.taken_slots
                    if view.taken_slots
                    else slots[view.slices],
                    view.gpu_milli_taken,
                    view.gpu_memory_taken_mib,
                )
                for view in views
            ]
        )
        return NodeCapacity(
            node.id,
            node.cpu_milli - node.cpu_used_milli,
            node.memory_mib - node.memory_used_mib,
            cards,
        )


def _by_index(view: AcceleratorView) -> tuple[int, str]:
    return view.index, view.id


def _by_id(node: NodeView) -> NodeId:
    return node.id
