"""Going through a long queue class by class: of thousands that wait, few can be distinguished."""

from collections.abc import Iterator, Sequence
from itertools import compress
from operator import attrgetter

from scheduler.core.model.entities import PendingWorkload, WorkClass


class ClassedQueue:
    """A queue with the class of each work beside it, so that what is skipped is not even looked at."""

    def __init__(self, works: Sequence[PendingWorkload]) -> None:
        self.works = works
        self._classes: list[WorkClass] = list(map(attrgetter("work_class"), works))

    def classes(self) -> set[WorkClass]:
        """Return the classes in it."""
        return set(self._classes)

    def of_classes(self, considered: set[WorkClass]) -> Iterator[PendingWorkload]:
        """Yield, in order, the work whose class is considered when its turn comes.

        A caller that goes through it takes classes out of the set. What is skipped costs no step of Python.
        """
        return compress(self.works, map(considered.__contains__, self._classes))
