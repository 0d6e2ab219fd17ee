"""How far a drain has come: what is left on a node, until nothing is or nobody waits any more."""

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
"""Between two looks of `drain_node`."""
NAMES_MAX: Final = 5
"""Work on a node that `drain_node` names."""


class DrainEnd(StrEnum):
    """How waiting for a drain ended."""

    EMPTY = "empty"
    CALLED_OFF = "called_off"
    """Somebody has taken the node back, or it was shut out: it is not being emptied."""
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class DrainRemainder:
    """What still holds a part of a node."""

    containers: int
    work: tuple[str, ...] = ()
    """Names of the first few workloads, in order."""

    @override
    def __str__(self) -> str:
        """Say it in one line."""
        names = ", ".join(self.work)
        return f"{self.containers} containers left" + (f": {names}" if names else "")


def count_remaining(node_id: UUID) -> DrainRemainder:
    """Return what is live on a node now, also what is only reserved or not yet proven gone."""
    live = Allocation.objects.filter(node=node_id, state__in=LIVE_ALLOCATION)
    names = live.order_by("workload__name").values_list("workload__name", flat=True).distinct()
    return DrainRemainder(live.count(), tuple(names[:NAMES_MAX]))


def follow_drain(
    node_id: UUID, timeout_s: float | None, pause: Callable[[float], object]
) -> Iterator[DrainRemainder | DrainEnd]:
    """Tell what is left whenever that has changed, and last how the waiting ended.

    Reads only: whoever stops listening changes nothing about the drain. Without `timeout_s` it
    waits for as long as the drain lasts; `pause` waits for some seconds between two looks.
    """
    until = None if timeout_s is None else now() + timedelta(seconds=timeout_s)
    told: DrainRemainder | None = None
    while True:
        left = count_remaining(node_id)
        hold = Node.objects.values_list("hold", flat=True).get(pk=node_id)
        if hold != NodeHold.DRAIN:
            yield DrainEnd.CALLED_OFF
            return
        if not left.containers:
            yield DrainEnd.EMPTY
            return
        if left != told:
            yield left
            told = left
        if until is not None and now() >= until:
            yield DrainEnd.TIMED_OUT
            return
        pause(POLL_S)
