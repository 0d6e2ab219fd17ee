"""Progress of a drain: the work that is left on a node."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from typing_extensions import override

from portal.common.clock import now
from portal.inventory.models import Node
from portal.workloads.models import Allocation
from scheduler.core.model.states import LIVE_ALLOCATION, NodeHold

POLL_S: Final = 1.0
"""Between two polls of `drain_node`."""
NAMES_MAX: Final = 5
"""Work on a node that `drain_node` names."""


class DrainEnd(StrEnum):
    """Why waiting for a drain ended."""

    EMPTY = "empty"
    CANCELLED = "cancelled"
    """The node was uncordoned or quarantined."""
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class DrainRemainder:
    """The work that is left on a node."""

    containers: int
    work: tuple[str, ...] = ()
    """Names of the first few workloads, in order."""

    @override
    def __str__(self) -> str:
        """Return it in one line."""
        names = ", ".join(self.work)
        return f"{self.containers} containers left" + (f": {names}" if names else "")


def count_remaining(node_id: UUID) -> DrainRemainder:
    """Return the live allocations of a node, also those not started or not known to have ended."""
    live = Allocation.objects.filter(node=node_id, state__in=LIVE_ALLOCATION)
    names = live.order_by("workload__name").values_list("workload__name", flat=True).distinct()
    return DrainRemainder(live.count(), tuple(names[:NAMES_MAX]))


def follow_drain(
    node_id: UUID, timeout_s: float | None, pause: Callable[[float], object]
) -> Iterator[DrainRemainder | DrainEnd]:
    """Yield what is left whenever that has changed, and last why the waiting ended.

    This only reads: the drain continues if the caller stops iterating. Without `timeout_s` it waits
    indefinitely; `pause` sleeps for the given seconds between two reads.
    """
    until = None if timeout_s is None else now() + timedelta(seconds=timeout_s)
    last: DrainRemainder | None = None
    while True:
        left = count_remaining(node_id)
        hold = Node.objects.values_list("hold", flat=True).get(pk=node_id)
        if hold != NodeHold.DRAIN:
            yield DrainEnd.CANCELLED
            return
        if not left.containers:
            yield DrainEnd.EMPTY
            return
        if left != last:
            yield left
            last = left
        if until is not None and now() >= until:
            yield DrainEnd.TIMED_OUT
            return
        pause(POLL_S)
