"""Going through a long queue class by class: of thousands that wait, few can be told apart."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from operator import attrgetter

from scheduler.core.model.entities import PendingWorkload, WorkClass

_CLASS = attrgetter("work_class")


def classes_of(queue: Iterable[PendingWorkload]) -> set[WorkClass]:
    """Return the classes of the work in a queue."""
    return set(map(_CLASS, queue))


def of_classes(
    queue: Sequence[PendingWorkload], considered: set[WorkClass]
) -> Iterator[PendingWorkload]:
    """Yield, in order, the work whose class is considered when its turn comes.

    Whoever goes through it takes classes out of the set. What is skipped costs no step of Python.
    """
    return compress(queue, map(considered.__contains__, map(_CLASS, queue)))
