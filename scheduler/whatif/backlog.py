"""Which of many waiting tasks go first when there is not room for all."""

from collections import Counter
from collections.abc import Sequence

from scheduler.core.placement.fleet import Fleet
from scheduler.core.placement.shape import Shape
from scheduler.whatif.reference import Policy


def place_backlog(fleet: Fleet, policy: Policy, waiting: Sequence[Shape]) -> int:
    """Place what fits of the waiting tasks, the largest first; return the milli-cards placed.

    Of equally large ones those with least CPU go first: CPU is what large tasks run out of.
    """
    placed = 0
    for shape, count in sorted(Counter(waiting).items(), key=_size):
        for _ in range(count):
            choice = policy.choose(shape)
            if choice is None:
                break
            fleet.take(choice.node, shape, choice.cards)
            placed += shape.milli
    return placed


def _size(item: tuple[Shape, int]) -> tuple[int, int, int]:
    shape, _ = item
    return -shape.milli, shape.cpu, shape.memory
