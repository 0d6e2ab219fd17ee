"""The way from the end of work to the next start in its place, leg by leg, from the rows themselves."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from statistics import fmean, quantiles
from typing import Any, Final, NamedTuple
from uuid import UUID

_COLUMNS: Final = ("node", "finished_at", "released_at", "created_at", "bound_at")


class Leg(NamedTuple):
    """One leg, in milliseconds."""

    mean: float
    median: float
    p90: float


def legs() -> Mapping[str, Leg]:
    """Return the legs of all attempts that have ended, by name and in order.

    * `end reported`: from the end, by the node's clock, to the transaction that frees its room;
    * `room taken`: from there to the next placement on that node;
    * `start sent`: from a placement to the reply that names it to its node.
    """
    from portal.workloads.models import Allocation  # noqa: PLC0415 - after `prepared`

    ended = Allocation.objects.filter(released_at__isnull=False, bound_at__isnull=False)
    rows = list(ended.values_list(*_COLUMNS))
    placed: dict[UUID, list[datetime]] = defaultdict(list)
    for node, _, _, created, _ in rows:
        placed[node].append(created)
    for moments in placed.values():
        moments.sort()
    return {
        "end reported": _leg(released - end for _, end, released, _, _ in rows),
        "room taken": _leg(
            moments[at] - released
            for node, _, released, _, _ in rows
            if (at := bisect_right(moments := placed[node], released)) < len(moments)
        ),
        "start sent": _leg(bound - created for *_, created, bound in rows),
    }


def _leg(lengths: Iterable[Any]) -> Leg:
    found = [length.total_seconds() * 1000 for length in lengths]
    tenths = quantiles(found, n=10)
    return Leg(round(fmean(found)), round(tenths[4]), round(tenths[8]))
