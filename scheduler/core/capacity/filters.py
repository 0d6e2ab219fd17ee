"""Hard constraints: how often a request fits, one rule per kind of capacity.

A new constraint is one more `Rule`. Each rule speaks for one replica, on all nodes of a yard at
once; gangs are built from the number of replicas that every rule allows. `replicas_that_fit` says
the same of a single room, for those who look at one node's future.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scheduler.core.capacity.node_capacity import NodeCapacity, is_suitable
from scheduler.core.capacity.pool_matrix import PoolMatrix
from scheduler.core.model.entities import Request
from scheduler.core.placement.node_table import Ints
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape


@dataclass(frozen=True, slots=True)
class CapacityRule:
    """One kind of capacity; amounts are those of each node of a yard."""

    resource: str
    requested: Callable[[Request], int]
    largest: Callable[[PoolMatrix, Shape | None, Request], Ints]
    """The most that a single replica could get."""
    total: Callable[[PoolMatrix, Shape | None, Request], Ints]
    """Everything of it that is free, usable by one replica or not."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The first rule that no node satisfies, with its numbers."""

    resource: str
    requested: int
    largest: int
    total: int

    @property
    def is_in_devices(self) -> bool:
        """Tell whether cards or parts of them are short, not CPU or memory."""
        return self.resource in _DEVICES

    @property
    def is_fragmented(self) -> bool:
        """Tell whether enough is free, only not in one piece."""
        return self.is_in_devices and self.total >= self.requested


def _whole_gpus(yard: PoolMatrix, shape: Shape | None, _: Request) -> Ints:
    if shape is None:
        return np.zeros(len(yard.nodes), np.int64)
    whole: Ints = (yard.suitable_cards(shape) & (yard.table.free == MILLI_PER_GPU)).sum(axis=1)
    return whole


def _free_slices(yard: PoolMatrix, shape: Shape | None) -> Ints:
    if shape is None or yard.slices_per_card == 1:
        return np.zeros((len(yard.nodes), 1), np.int64)
    slots: Ints = np.where(
        yard.suitable_cards(shape), yard.table.free // (MILLI_PER_GPU // yard.slices_per_card), 0
    )
    return slots


def _most_slices(yard: PoolMatrix, shape: Shape | None) -> Ints:
    """Return the most slices of one card; of a card cut in hardware only where they fit together."""
    slots = _free_slices(yard, shape)
    if shape is None or not shape.mig_profile:
        largest: Ints = slots.max(axis=1)
        return largest
    fits = yard.table.count_mig_instances(shape) > 0
    most: Ints = np.where(fits, slots, np.minimum(slots, shape.mig_slices - 1)).max(axis=1)
    return most


def _free_shares(yard: PoolMatrix, shape: Shape | None, request: Request) -> Ints:
    if shape is None:
        return np.zeros((len(yard.nodes), 1), np.int64)
    roomy = yard.table.free_mib >= request.gpu_memory_mib
    shares: Ints = np.where(yard.suitable_cards(shape) & roomy, yard.table.free, 0)
    return shares


RULES: Final = (
    CapacityRule(
        "gpus", requested=lambda request: request.gpus, largest=_whole_gpus, total=_whole_gpus
    ),
    CapacityRule(
        "slices",
        requested=lambda request: request.slices,
        largest=lambda yard, shape, _: _most_slices(yard, shape),
        total=lambda yard, shape, _: _free_slices(yard, shape).sum(axis=1),
    ),
    CapacityRule(
        "share",
        requested=lambda request: request.gpu_milli,
        largest=lambda yard, shape, request: _free_shares(yard, shape, request).max(axis=1),
        total=lambda yard, shape, request: _free_shares(yard, shape, request).sum(axis=1),
    ),
    CapacityRule(
        "cpu",
        requested=lambda request: request.cpu_milli,
        largest=lambda yard, _, __: yard.table.cpu,
        total=lambda yard, _, __: yard.table.cpu,
    ),
    CapacityRule(
        "memory",
        requested=lambda request: request.memory_mib,
        largest=lambda yard, _, __: yard.table.memory,
        total=lambda yard, _, __: yard.table.memory,
    ),
)
_DEVICES: Final = frozenset({"gpus", "slices", "share"})


def find_shortfall(request: Request, yard: PoolMatrix) -> Shortfall | None:
    """Return what keeps the request from these nodes, or None if all replicas fit.

    The rules are applied one after the other to the nodes that passed so far, and the first that
    leaves none is named: "4 cards are free on n1, but only 2 CPUs beside them" reads as CPU.
    """
    placeable = int(yard.count_replicas(request).sum())
    if placeable >= request.replicas:
        return None
    shape = yard.counting_shape(request)
    candidates = np.ones(len(yard.nodes), np.bool_)
    for rule in RULES:
        requested = rule.requested(request)
        if requested == 0:
            continue
        largest = rule.largest(yard, shape, request)
        passing = candidates & (largest >= requested)
        if not passing.any():
            most = max(int(largest[candidates].max(initial=0)), 0)
            total = max(int(rule.total(yard, shape, request)[candidates].sum()), 0)
            return Shortfall(rule.resource, requested, most, total)
        candidates = passing
    return Shortfall("replicas", request.replicas, placeable, placeable)


def count_replicas(request: Request, room: NodeCapacity) -> int:
    """Return how many replicas of the request one room could take, at most all of them."""
    fitting = request.replicas
    if request.gpus:
        fitting = min(fitting, len(room.whole_cards(request)) // request.gpus)
    if request.slices:
        fitting = min(fitting, room.count_slice_requests(request))
    if request.gpu_milli:
        fitting = min(fitting, _count_by_share(request, room))
    if request.cpu_milli:
        fitting = min(fitting, room.cpu_milli // request.cpu_milli)
    if request.memory_mib:
        fitting = min(fitting, room.memory_mib // request.memory_mib)
    return max(fitting, 0)


def _count_by_share(request: Request, room: NodeCapacity) -> int:
    fitting = 0
    for card in room.cards:
        view = card.view
        if view.slices > 1 or not card.free_slots or not is_suitable(card, request):
            continue
        by_card = (MILLI_PER_GPU - card.shared_milli) // request.gpu_milli
        if request.gpu_memory_mib:
            by_card = min(by_card, (view.memory_mib - card.shared_mib) // request.gpu_memory_mib)
        fitting += by_card
    return fitting
