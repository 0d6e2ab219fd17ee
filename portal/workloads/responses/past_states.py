"""The states that work had at a moment: lists sorted by state keep the order of their first page.

A moment is the id of an event. Every move is an event, so a state then is where the first move since
began; of work that has not moved since, it is the present one.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from django.db.models import Case, Exists, F, OuterRef, QuerySet, Subquery, When

from portal.common.clock import now
from portal.common.rest.pagination import BadPageError
from portal.workloads.models import WorkloadEvent

MOVES_MAX: Final = 100_000
"""Events after which a page of a list sorted by state no longer continues from an earlier one."""
RECENT_MAX: Final = 1_000
"""Events that are looked through for one that is still to come."""
SETTLED_AFTER: Final = timedelta(seconds=10)
"""How long after an event none with a smaller id comes any more: no transaction takes as long."""


class PastStates:
    """Reads workloads as they stood at a moment."""

    def moment(self) -> int:
        """Return the newest moment before which no event is still to come."""
        recent = WorkloadEvent.objects.order_by("-pk").values_list("pk", "at")[:RECENT_MAX]
        return find_settled(recent, now() - SETTLED_AFTER)

    def read(self, queryset: "QuerySet[Any]", moment: int) -> "tuple[QuerySet[Any], QuerySet[Any]]":
        """Return the rows that have not moved since a moment, and those that have.

        Both have `stood`, the state that they had then, or with which they came later.
        """
        since = WorkloadEvent.objects.filter(pk__gt=moment)
        if since.filter(pk__gt=moment + MOVES_MAX).exists():
            raise BadPageError("cursor_too_old")
        moves = since.exclude(from_state=F("to_state"))
        of_row = moves.filter(workload=OuterRef("pk")).order_by("pk")
        began = Case(When(from_state="", then=F("to_state")), default=F("from_state"))
        return (
            queryset.filter(~Exists(of_row)).annotate(stood=F("state")),
            queryset.filter(pk__in=moves.values("workload")).annotate(
                stood=Subquery(of_row.annotate(began=began).values("began")[:1])
            ),
        )


def find_settled(recent: Iterable[tuple[int, datetime]], since: datetime) -> int:
    """Return the newest event that no missing one precedes, of the newest first; 0 if there is none.

    An id that is missing among those after `since` may be that of an event not committed yet.
    """
    events = list(recent)
    found = events[0][0] if events else 0
    for (newer, at), (older, _) in pairwise(events):
        if at < since:
            break
        if older + 1 < newer:
            found = older
    return found
