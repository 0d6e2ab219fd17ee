"""Notices to owners of what happened to their work, from its event log.

A task reads the log every few seconds, so that no transition waits for a notice. Events are committed in
another order than they are numbered: those of the last minute are read again, and each is reported once.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from portal.common.clock import now
from portal.common.translations import Part
from portal.common.work_kinds import KINDS
from portal.notices.inbox import send_notices
from portal.notices.mail import PersonalMessage
from portal.workloads.models import Dependency, NoticedEvents, Workload, WorkloadEvent
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.states import PLACED, WorkloadState

SETTLED_AFTER: Final = timedelta(minutes=1)
"""No transaction of an event takes longer."""
WAITED: Final = timedelta(hours=1)
"""Work that has been queued for so long waits for too long."""
EVENTS_MAX: Final = 2_000
"""Events that one run considers; the next takes the others."""
SINGLY_MAX: Final = 3
"""Workloads of one owner that get a notice each; more of them share one."""
EVICTED: Final = frozenset(cause.value for cause in EvictionCause)
LOST: Final = frozenset({"lease_ended", "node_declared_lost", "node_fenced", "node_lost"})
ENDS: Final = {
    WorkloadState.SUCCEEDED: "work_succeeded",
    WorkloadState.FAILED: "work_failed",
    WorkloadState.EXPIRED: "work_expired",
}
CHANGES: Final = frozenset(
    {
        *("renamed", "priority_changed", "time_limit_changed", "pool_changed"),
        *("size_changed", "image_changed", "made_preemptible", "made_uninterrupted"),
    }
)
"""Causes of notes, by `submission.change_notes`: work asks for something else than before."""
BY_ITSELF: Final = "exited"
"""Cause of an end that is the program's own; its exit code says more."""
TOGETHER: Final = {
    "work_started": "works_started",
    "work_succeeded": "works_succeeded",
    "work_failed": "works_failed",
    "work_exited": "works_failed",
    "work_expired": "works_expired",
    "work_cancelled": "works_cancelled",
    "work_evicted": "works_evicted",
    "work_requeued": "works_requeued",
    "work_changed": "works_changed",
    "work_lost": "works_lost",
    "work_waits": "works_wait",
}
"""Codes of notices about one workload, and of those about several."""
_COLUMNS: Final = (
    *("id", "at", "from_state", "to_state", "cause", "params", "actor_id"),
    *("owner_id", "workload_id"),
    *("workload__name", "workload__kind", "workload__array_id", "workload__exit_code"),
)


@dataclass(frozen=True, slots=True)
class OwnEvent:
    """One transition or note of work, and what its owner knows that work by."""

    id: int
    at: datetime
    source: str
    target: str
    cause: str
    params: Mapping[str, object]
    actor_id: str
    owner: UUID
    workload: UUID
    name: str
    kind: str
    array: UUID | None
    exit_code: int | None

    @property
    def code(self) -> str:
        """Return the code of the notice; empty where there is none."""
        if self.source == self.target:
            is_news = self.cause in CHANGES and self.actor_id != str(self.owner)
            return "work_changed" if is_news else ""
        return self._code_of_transition()

    def _code_of_transition(self) -> str:
        target = WorkloadState(self.target)
        if target is WorkloadState.FAILED and self.cause == BY_ITSELF:
            return "work_exited"
        if target in ENDS:
            return ENDS[target]
        if target is WorkloadState.RUNNING:
            return "work_started" if self.source == WorkloadState.STARTING else ""
        if self.actor_id == str(self.owner):
            return ""
        if target is WorkloadState.CANCELLED:
            return "work_cancelled"
        is_return = target is WorkloadState.QUEUED and self.source in PLACED
        return _code_of_return(self.cause) if is_return else ""


def _code_of_return(cause: str) -> str:
    """Return the code for work that is queued again."""
    if cause in EVICTED:
        return "work_evicted"
    return "work_lost" if cause in LOST else "work_requeued"


@dataclass(frozen=True, slots=True)
class WorkNotice:
    """What happened to one workload."""

    owner: UUID
    code: str
    workload: UUID
    name: str
    kind: str
    array: UUID | None
    cause: str = ""
    exit_code: int | None = None
    params: Mapping[str, object] = field(default_factory=dict, compare=False)
    """What the sentence of the cause needs."""


def combine(notices: Iterable[WorkNotice]) -> Iterator[PersonalMessage]:
    """Yield the messages: one for each workload, and one for all where they are many or of one array."""
    together: dict[tuple[UUID, str, UUID | None], list[WorkNotice]] = defaultdict(list)
    for notice in notices:
        together[notice.owner, TOGETHER[notice.code], notice.array].append(notice)
    for (owner, code, array), found in together.items():
        if len(found) == 1 or (array is None and len(found) <= SINGLY_MAX):
            yield from map(_single, found)
        else:
            path = "/jobs" if array is None else f"/jobs/arrays/{array}"
            params = {"work": found[0].name, "count": len(found), "path": path}
            yield PersonalMessage(owner, code, params, path)


def _single(notice: WorkNotice) -> PersonalMessage:
    path = f"/{KINDS[notice.kind].page}/{notice.workload}"
    params: dict[str, object] = {"work": notice.name, "path": path}
    if notice.code == "work_exited":
        params["exit_code"] = notice.exit_code or 0
    elif notice.params:
        params["cause"] = Part(code=f"cause.{notice.cause}", params=dict(notice.params))
    else:
        params["cause"] = notice.cause or "requested"
    return PersonalMessage(notice.owner, notice.code, params, path)


@transaction.atomic
def notify_owners() -> int:
    """Notify owners of what happened since the last run; return how many notices were sent."""
    moment = now()
    NoticedEvents.objects.get_or_create(
        defaults={"until": _newest_event(), "waited_until": moment - WAITED}
    )
    progress = NoticedEvents.objects.select_for_update(skip_locked=True).first()
    if progress is None:  # another run is at it
        return 0
    events = _load_events(progress.until, progress.later)
    waiting = _load_waiting(progress.waited_until, moment - WAITED)
    messages = [*combine(_notices_of(events)), *combine(waiting)]
    send_notices(messages)
    _save_progress(progress, events, moment)
    return len(messages)


def skip_present_events() -> None:
    """Consider everything as reported that is in the log, also what this transaction has written."""
    NoticedEvents.objects.get_or_create(defaults={"until": 0, "waited_until": now() - WAITED})
    NoticedEvents.objects.update(until=_newest_event(), later=[])


def _newest_event() -> int:
    newest = WorkloadEvent.objects.aggregate(newest=Max("id"))["newest"]
    return newest or 0


def _load_events(until: int, later: Collection[int]) -> list[OwnEvent]:
    """Return transitions and notes after `until` that were not considered yet, the oldest first."""
    rows = WorkloadEvent.objects.filter(id__gt=until).exclude(id__in=later)
    found = rows.order_by("id").values_list(*_COLUMNS)[:EVENTS_MAX]
    return [OwnEvent(*row) for row in found]


def _notices_of(events: Iterable[OwnEvent]) -> Iterator[WorkNotice]:
    for event in events:
        if code := event.code:
            yield WorkNotice(
                owner=event.owner,
                code=code,
                workload=event.workload,
                name=event.name,
                kind=event.kind,
                array=event.array,
                cause=event.cause,
                exit_code=event.exit_code,
                params=event.params if code == "work_changed" else {},
            )


def _load_waiting(after: datetime, until: datetime) -> list[WorkNotice]:
    """Return work that waits by itself, and has been queued since one of these moments."""
    waits_for_other = Dependency.objects.filter(workload=OuterRef("pk"), settled_at=None)
    rows = Workload.objects.filter(
        ~Exists(waits_for_other),
        state=WorkloadState.QUEUED,
        held_by="",
        queued_at__gt=after,
        queued_at__lte=until,
    ).exclude(not_before__gt=until)
    columns = ("owner_id", "id", "name", "kind", "array_id")
    return [
        WorkNotice(owner, "work_waits", key, name, kind, array)
        for owner, key, name, kind, array in rows.order_by("id").values_list(*columns)
    ]


def _save_progress(progress: NoticedEvents, events: list[OwnEvent], moment: datetime) -> None:
    """Keep what was considered; what is older than any transaction needs no list."""
    later = sorted({*progress.later, *(event.id for event in events)})
    settled = WorkloadEvent.objects.filter(id__in=later, at__lt=moment - SETTLED_AFTER)
    newest = settled.aggregate(newest=Max("id"))["newest"]
    progress.until = max(progress.until, newest or 0)
    progress.later = [key for key in later if key > progress.until]
    progress.waited_until = moment - WAITED
    progress.save()
