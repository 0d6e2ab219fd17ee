"""The capacity views of each pool: installed, enforcing, usable and free."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
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
    """The capacity of each node of a pool. The nodes stay the same; their matrices follow changes."""

    def __init__(
        self,
        inventory: PoolInventory,
        capacities: Iterable[NodeCapacity],
        demand: DemandMix | None = None,
        base: "CapacityView | None" = None,
    ) -> None:
        """Take the capacities, and the expected demand that placement scores against.

        `base` is a view of the same nodes and cards, if there is one already.
        """
        super().__init__((capacity.node, capacity) for capacity in capacities)
        self._base = base if base is not None and self._has_the_cards_of(base) else None
        self._inventory = inventory
        self._demand = demand
        self._changed: list[set[NodeId]] = []
        self._followers: list[Callable[[NodeId], None]] = []

    @override
    def __setitem__(self, node: NodeId, capacity: NodeCapacity) -> None:
        """Change the capacity of a node."""
        super().__setitem__(node, capacity)
        for changed in self._changed:
            changed.add(node)
        for follow in self._followers:
            follow(node)

    def derive(
        self, capacity_of: Callable[[NodeId], NodeCapacity], *others: "CapacityView"
    ) -> "CapacityView":
        """Return a view that is computed from this one, and follows every change of it and the others."""
        derived = CapacityView(self._inventory, map(capacity_of, self), self._demand, base=self)

        def follow(node: NodeId) -> None:
            if (capacity := capacity_of(node)) is not derived[node]:
                derived[node] = capacity

        for view in (self, *others):
            view.call_on_change(follow)
        return derived

    def call_on_change(self, follow: Callable[[NodeId], None]) -> None:
        """Call this with each node whose capacity changes."""
        self._followers.append(follow)

    def drop_derived(self) -> None:
        """Let no derived view follow any longer."""
        self._followers.clear()

    @override
    def copy(self) -> "CapacityView":
        """Return a view with the same capacities, which changes independently."""
        return CapacityView(self._inventory, self.values(), self._demand, base=self)

    @cached_property
    def matrix(self) -> PoolMatrix:
        """The arrays for work of the pool itself."""
        base = None if self._base is None else self._base.matrix
        return PoolMatrix(self, self._inventory, self._watch(), self._demand, base=base)

    @cached_property
    def lending_matrix(self) -> PoolMatrix:
        """The arrays for borrowers: untouched cards, each as a whole with all slots."""
        return PoolMatrix(self, self._inventory, self._watch(), self._demand, lending=True)

    def _has_the_cards_of(self, other: "CapacityView") -> bool:
        """Return whether nodes and cards are the same; within one snapshot counting them is enough."""
        return len(self) == len(other) and all(
            node in other and len(capacity.cards) == len(other[node].cards)
            for node, capacity in self.items()
        )

    def _watch(self) -> set[NodeId]:
        self._changed.append(set())
        return self._changed[-1]


ViewsByPool = dict[PoolId, CapacityView]


class CapacityViewBuilder:
    """Builds the views of one snapshot; they share the card slots that are equal."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Sort nodes and cards once. A node belongs to the pool of its cards, broken ones too."""
        self._pools = snapshot.pools
        self._cached = {content.name: content for content in snapshot.cached}
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

    def build_installed(self, base: ViewsByPool) -> ViewsByPool:
        """Return what the site owns: every node, as if nothing ran and everything were healthy."""
        return self._build(_OWNED, _INSTALLED, base=base)

    def build_enforcing(self, base: ViewsByPool) -> ViewsByPool:
        """Return what is installed, without the cards whose isolation is weaker than demanded."""
        return self._build(_OWNED, _INSTALLED, base=base, without=self._too_weak)

    def build_usable(self, base: ViewsByPool) -> ViewsByPool:
        """Return the nodes and cards that take work today, as if nothing ran on them."""
        return self._build(_TAKES_WORK, _HEALTHY, base=base, without=self._too_weak)

    def build_free(self, demands: dict[PoolId, DemandMix]) -> ViewsByPool:
        """Return what no work holds, on the nodes and cards that take work."""
        return self._build(_TAKES_WORK, _HEALTHY, demands, without=self._too_weak)

    def _build(
        self,
        nodes: frozenset[NodeState],
        cards: frozenset[AcceleratorState],
        demands: Mapping[PoolId, DemandMix] | None = None,
        base: Mapping[PoolId, CapacityView] = MappingProxyType({}),
        *,
        without: frozenset[AcceleratorId] = frozenset(),
    ) -> ViewsByPool:
        """Build one view of each pool: with expected demand as it is now, without it as if empty."""
        capacities: dict[PoolId, list[NodeCapacity]] = {pool.id: [] for pool in self._pools}
        build = self._when_empty if demands is None else self._as_used
        for node, views in self._nodes:
            if node.state in nodes:
                good = [view for view in views if view.state in cards and view.id not in without]
                capacities[views[0].pool].append(build(node, good))
        return {
            pool.id: CapacityView(
                PoolInventory(pool, self._views, self._cached),
                capacities[pool.id],
                None if demands is None else demands.get(pool.id),
                base.get(pool.id),
            )
            for pool in self._pools
        }

    def _when_empty(self, node: NodeView, views: list[AcceleratorView]) -> NodeCapacity:
        slots = self._all_slots
        cards = tuple([CardCapacity(view, slots[view.slices]) for view in views])
        return NodeCapacity(node.id, node.cpu_milli, node.memory_mib, cards)

    def _as_used(self, node: NodeView, views: list[AcceleratorView]) -> NodeCapacity:
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
