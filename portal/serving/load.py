"""How many requests are open at replicas, from what the endpoints report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from portal.common.clock import now, to_millis
from portal.serving_usage.loads import SecondOfLoad
from portal.serving_usage.selectors import loads_for_system

LOOK_BACK: Final = timedelta(seconds=15)
"""How old a report may be that still says something of what is open."""
RECENT: Final = timedelta(minutes=5)
"""How much of the past load decides the size of a service."""
NEVER_MS: Final = 10**9
"""The age of load that nobody has reported."""
_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class OpenRequests:
    """The open requests of one service."""

    by_replica: Mapping[UUID, int] = field(default_factory=dict)
    """By workload; what is missing has none."""
    counted_at: int | None = None
    """Up to when they were counted, in milliseconds; None is that nothing was reported."""


def open_requests_for_system(service_id: UUID) -> OpenRequests:
    """Return the open requests of a service, as last reported."""
    moment = now()
    return count_open(loads_for_system([service_id], moment - LOOK_BACK, moment))


def recent_load_for_system(service_id: UUID) -> list[SecondOfLoad]:
    """Return the load of a service in the last minutes, oldest first."""
    moment = now()
    return loads_for_system([service_id], moment - RECENT, moment)


def still_open(seconds: Sequence[SecondOfLoad]) -> OpenRequests:
    """Return what is open by the newest of these seconds, unless they are too old to say so."""
    since = now() - LOOK_BACK
    return count_open([each for each in seconds if each.second >= since])


def count_open(seconds: Sequence[SecondOfLoad]) -> OpenRequests:
    """Return what is open after these seconds of one service, oldest first.

    The newest and the one before count, because some process may not have reported the newest yet.
    """
    if not seconds:
        return OpenRequests()
    newest = seconds[-1].second
    found: dict[UUID, int] = {}
    for each in seconds:
        if each.second < newest - _SECOND:
            continue
        for replica, count in each.open_by_replica.items():
            found[replica] = max(found.get(replica, 0), count)
    return OpenRequests(found, to_millis(newest + _SECOND))
