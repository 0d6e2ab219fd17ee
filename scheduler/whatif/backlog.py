"""Which of many waiting tasks go first when there is not room for all."""

from collections import Counter
from collections.abc import Sequence

from scheduler.core.placement.node_table import NodeTable
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape
from scheduler.whatif.reference import ReferencePolicy


def place_backlog(fleet: NodeTable, policy: ReferencePolicy, waiting: Sequence[Shape]) -> int:
    """Place what fits of the waiting tasks and return the milli-cards placed.

    Most cards go first, then the shares of which a whole number wastes least of a card; of equals
    those with least CPU, because CPU is what cards run out of.
    """
    placed = 0
    for shape, count in sorted(Counter(waiting).items(), key=_size):
        for _ in range(count):
            choice = policy.choose(shape)
            if choice is None:
                break
            fleet.allocate(choice.node, shape, choice.cards)
            placed += shape.total_milli
    return placed


def _size(item: tuple[Shape, int]) -> tuple[int, int, int, int]:
    shape, _ = item
    waste = MILLI_PER_GPU % shape.gpu_milli if shape.gpu_milli else 0
    return -shape.gpus, waste, shape.cpu_milli, shape.memory_mib
