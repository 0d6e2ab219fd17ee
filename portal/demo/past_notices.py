"""What the people of a demo were notified of in the last days of its past: their work that failed."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from portal.notices.simulated import PastNotice, write_past_notices
from portal.workloads.models import Workload
from portal.workloads.owner_notices import BY_ITSELF, ENDS, WorkNotice, combine
from scheduler.core.model.states import WorkloadState

WRITTEN: Final = timedelta(days=7)
UNREAD: Final = timedelta(days=2)
"""Older ones have been read."""
_BAD_ENDS: Final = [WorkloadState.FAILED.value, WorkloadState.EXPIRED.value]


def write_notices(until: datetime) -> None:
    """Write the notices of the week before the end of the past."""
    write_past_notices(_notices(until))


def _notices(until: datetime) -> Iterator[PastNotice]:
    ended = Workload.objects.filter(
        simulated=True, state__in=_BAD_ENDS, finished_at__gte=until - WRITTEN
    )
    for work in ended.order_by("finished_at", "id"):
        if work.finished_at is not None:
            is_read = work.finished_at < until - UNREAD
            yield from (
                PastNotice(work.finished_at, each, is_read) for each in combine([_of(work)])
            )


def _of(work: Workload) -> WorkNotice:
    is_own = work.state == WorkloadState.FAILED and work.cause == BY_ITSELF
    return WorkNotice(
        owner=work.owner_id,
        code="work_exited" if is_own else ENDS[WorkloadState(work.state)],
        workload=work.pk,
        name=work.name,
        kind=work.kind,
        array=work.array_id,
        cause=work.cause,
        exit_code=work.exit_code,
    )
