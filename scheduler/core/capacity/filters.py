"""Filters: the hard constraints on where a replica fits, one rule per kind of capacity.

They are what Kubernetes calls filter plugins. Each rule looks at one replica, on all nodes of a pool
at once; a new constraint is one more `CapacityRule`. `count_replicas` gives the same answer for a
single node, for the timeline, which looks at one node's future.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.pool_matrix import PoolMatrix
from scheduler.core.model.card_kind import is_card_suitable
from scheduler.core.model.entities import Request
from scheduler.core.placement.node_table import Ints
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape


@dataclass(frozen=True, slots=True)
class CapacityRule:
    """One kind of capacity; amounts are arrays with one number for each node."""

    resource: str
    requested: Callable[[Request], int]
    largest: Callable[[PoolMatrix, Shape | None, Request], Ints]
    """The most that a single replica could get on each node."""
    total: Callable[[PoolMatrix, Shape | None, Request], Ints]
    """Everything of it that is free on each node, usable by one replica or not."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """The first rule that no node satisfies, with its numbers."""

    resource: str
    requested: int
    largest: int
    total: int

    @property
    def is_in_devices(self) -> bool:
        """Return whether cards or parts of them are short, not CPU or memory."""
        return self.resource in _DEVICES

    @property
    def is_fragmented(self) -> bool:
        """Return whether enough is free, only not in one piece."""
        return self.is_in_devices and self.total >= self.requested


def _whole_gpus(matrix: PoolMatrix, shape: Shape | None, _: Request) -> Ints:
    if shape is None:
        return np.zeros(len(matrix.nodes), np.int64)
    whole: Ints = (matrix.suitable_cards(shape) & (matrix.table.free == MILLI_PER_GPU)).sum(axis=1)
    return whole


def _free_slices(matrix: PoolMatrix, shape: Shape | None) -> Ints:
    if shape is None or matrix.slices_per_card == 1:
        return np.zeros((len(matrix.nodes), 1), np.int64)
    slots: Ints = np.where(
        matrix.suitable_cards(shape),
        matrix.table.free // (MILLI_PER_GPU // matrix.slices_per_card),
        0,
    )
    return slots


def _most_slices(matrix: PoolMatrix, shape: Shape | None) -> Ints:
    """Return the most slices of one card; on a MIG card only where they fit as one instance."""
    slots = _free_slices(matrix, shape)
    if shape is None or not shape.mig_profile:
        largest: Ints = slots.max(axis=1)
        return largest
    fits = matrix.table.count_mig_instances(shape) > 0
    most: Ints = np.where(fits, slots, np.minimum(slots, shape.mig_slices - 1)).max(axis=1)
    return most


def _free_shares(matrix: PoolMatrix, shape: Shape | None) -> Ints:
    if shape is None:
        return np.zeros((len(matrix.nodes), 1), np.int64)
    shares: Ints = np.where(matrix.suitable_cards(shape), matrix.table.free, 0)
    return shares


def _memory_of_shares(matrix: PoolMatrix, shape: Shape | None, request: Request) -> Ints:
    """Return the free memory of each card of which the share is free."""
    gives_share = _free_shares(matrix, shape) >= request.gpu_milli
    memory: Ints = np.where(gives_share, matrix.table.free_mib, 0)
    return memory


RULES: Final = (
    CapacityRule(
        "gpus", requested=lambda request: request.gpus, largest=_whole_gpus, total=_whole_gpus
    ),
    CapacityRule(
        "slices",
        requested=lambda request: request.slices,
        largest=lambda matrix, shape, _: _most_slices(matrix, shape),
        total=lambda matrix, shape, _: _free_slices(matrix, shape).sum(axis=1),
    ),
    CapacityRule(
        "share",
        requested=lambda request: request.gpu_milli,
        largest=lambda matrix, shape, _: _free_shares(matrix, shape).max(axis=1),
        total=lambda matrix, shape, _: _free_shares(matrix, shape).sum(axis=1),
    ),
    CapacityRule(
        "gpu_memory",
        requested=lambda request: request.gpu_memory_mib,
        largest=lambda *free: _memory_of_shares(*free).max(axis=1),
        total=lambda *free: _memory_of_shares(*free).sum(axis=1),
    ),
    CapacityRule(
        "cpu",
        requested=lambda request: request.cpu_milli,
        largest=lambda matrix, _, __: matrix.table.cpu,
        total=lambda matrix, _, __: matrix.table.cpu,
    ),
    CapacityRule(
        "memory",
        requested=lambda request: request.memory_mib,
        largest=lambda matrix, _, __: matrix.table.memory,
        total=lambda matrix, _, __: matrix.table.memory,
    ),
)
_DEVICES: Final = frozenset({"gpus", "slices", "share", "gpu_memory"})


def find_shortfall(request: Request, matrix: PoolMatrix) -> Shortfall | None:
    """Return what keeps the request from these nodes, or None if all replicas fit.

    The rules are applied one after the other to the nodes that passed so far; the shortfall is
    that of the first rule that leaves none. "4 cards are free on n1, but only 2 CPUs beside them" is
    a shortfall of CPU.
    """
    placeable = int(matrix.count_replicas(request).sum())
    if placeable >= request.replicas:
        return None
    shape = matrix.counting_shape(request)
    candidates = np.ones(len(matrix.nodes), np.bool_)
    for rule in RULES:
        requested = rule.requested(request)
        if requested == 0:
            continue
        largest = rule.largest(matrix, shape, request)
        passing = candidates & (largest >= requested)
        if not passing.any():
            most = max(int(largest[candidates].max(initial=0)), 0)
            total = max(int(rule.total(matrix, shape, request)[candidates].sum()), 0)
            return Shortfall(rule.resource, requested, most, total)
        candidates = passing
    return Shortfall("replicas", request.replicas, placeable, placeable)


def count_replicas(request: Request, capacity: NodeCapacity) -> int:
    """Return how many replicas of the request fit on one node, at most all of them."""
    fitting = request.replicas
    if request.gpus:
        fitting = min(fitting, len(capacity.whole_cards(request)) // request.gpus)
    if request.slices:
        fitting = min(fitting, capacity.count_slice_requests(request))
    if request.gpu_milli:
        fitting = min(fitting, _count_by_share(request, capacity))
    if request.cpu_milli:
        fitting = min(fitting, capacity.cpu_milli // request.cpu_milli)
    if request.memory_mib:
        fitting = min(fitting, capacity.memory_mib // request.memory_mib)
    return max(fitting, 0)


def count_whole_gpu_replicas(request: Request, gpus: int, cpu_milli: int, memory_mib: int) -> int:
    """Return how many replicas of whole cards fit into these amounts, at most all of them."""
    fitting = min(request.replicas, gpus // request.gpus)
    if request.cpu_milli:
        fitting = min(fitting, cpu_milli // request.cpu_milli)
    if request.memory_mib:
        fitting = min(fitting, memory_mib // request.memory_mib)
    return max(fitting, 0)


def _count_by_share(request: Request, capacity: NodeCapacity) -> int:
    fitting = 0
    for card in capacity.cards:
        view = card.view
        if view.slices > 1 or not card.free_slots or not is_card_suitable(view, request):
            continue
        by_card = (MILLI_PER_GPU - card.shared_milli) // request.gpu_milli
        if request.gpu_memory_mib:
            by_card = min(by_card, (view.memory_mib - card.shared_mib) // request.gpu_memory_mib)
        fitting += by_card
    return fitting
