"""Deriving the meter from the ledger: the one writer of its tables.

Days are always derived as a whole, so a lost or repeated run changes nothing. A day is derived again
when an attempt of it ends, because only then it is known how, and while its samples are rolled up.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Min

from portal.common.clock import now
from portal.common.notifications import invalidate_lists
from portal.inventory.gpu_models import model_name
from portal.inventory.models import Accelerator
from portal.metering import ledger
from portal.metering.budget_spending import count_spending
from portal.metering.models import ROW_ID, MeterProgress
from portal.site.days import DaySegment, SiteCalendar
from portal.site.selectors import calendar_for_system, carbon_for_system

LATE: Final = timedelta(hours=1)
"""An attempt may be committed as ended so much later than its end says."""
SAMPLES_LATE: Final = timedelta(hours=26)
"""Hours of samples may be rolled up so much later."""
CATCH_UP: Final = timedelta(days=31)
"""How far one run comes, so that it stays short where there is a long past."""
DAYS_AT_ONCE: Final = 14
"""Days that one statement derives."""


@transaction.atomic
def update_usage() -> int:
    """Bring the meter up to now, or closer to it; return how many days were derived."""
    first = ledger.find_first_start()
    if first is None and not Accelerator.objects.exists():
        return 0
    calendar = calendar_for_system()
    before = _lock_progress()
    behind = before or first
    until = now() if behind is None else min(now(), behind + CATCH_UP)
    if before is None:
        return _derive_all(calendar, until, before)
    return _derive(calendar, until, before)


@transaction.atomic
def rebuild_usage() -> int:
    """Derive every day again from the ledger; return how many. Capacity is counted on, not again."""
    calendar, until = calendar_for_system(), now()
    before = _lock_progress()
    ledger.delete_derived()
    return _derive_all(calendar, until, before)


@transaction.atomic
def add_past(since: datetime, pools: Iterable[UUID]) -> None:
    """Count the GPUs that some pools have now from a moment of the past on, and derive what the ledger says."""
    segments = list(calendar_for_system().segments(since, now()))
    ledger.add_past_capacity(segments, _model_names(), pools)
    rebuild_usage()


@transaction.atomic
def forget_past(until: datetime) -> None:
    """Count no GPUs before they were installed, and derive again what the ledger says.

    `until` is a moment of the last day of which GPUs were counted that were not there.
    """
    calendar = calendar_for_system()
    rebuild_usage()
    counted, last = _lock_progress(), calendar.day_of(until)
    ledger.delete_capacity(last)
    first = Accelerator.objects.aggregate(first=Min("created_at"))["first"]
    if first is not None and counted is not None:
        segments = [each for each in calendar.segments(first, counted) if each.day <= last]
        ledger.add_capacity(segments, _model_names())


def _derive_all(calendar: SiteCalendar, until: datetime, before: datetime | None) -> int:
    first = ledger.find_first_start() or until
    days = _write_days(calendar.segments_of_days(first, until), until)
    ledger.write_starts(calendar.segments_of_days(first, until), first)
    _count_capacity(calendar, before, until)
    _save_progress(until)
    return days


def _derive(calendar: SiteCalendar, until: datetime, before: datetime) -> int:
    changed = before - LATE
    ended = ledger.find_first_change(changed)
    first = min(each for each in (before - SAMPLES_LATE, ended) if each is not None)
    began = ledger.find_first_start() or until
    days = _write_days(calendar.segments_of_days(max(first, min(began, until)), until), until)
    ledger.write_starts(calendar.segments_of_days(began, until), changed)
    _count_capacity(calendar, before, until)
    _save_progress(max(before, until))
    return days


def _write_days(segments: Sequence[DaySegment], until: datetime) -> int:
    names, carbon, days = _model_names(), carbon_for_system(), 0
    for some in _batches(segments):
        ledger.write_days(some, until, names, carbon)
        days += len({segment.day for segment in some})
    return days


def _batches(segments: Sequence[DaySegment]) -> Iterator[list[DaySegment]]:
    """Yield the segments of a few whole days at a time."""
    batch: list[DaySegment] = []
    for number, (_, parts) in enumerate(groupby(segments, attrgetter("day"))):
        if number and number % DAYS_AT_ONCE == 0:
            yield batch
            batch = []
        batch.extend(parts)
    if batch:
        yield batch


def _count_capacity(calendar: SiteCalendar, before: datetime | None, until: datetime) -> None:
    """Count GPUs since the last run; at the first one, since each was installed."""
    first = Accelerator.objects.order_by("created_at").values_list("created_at", flat=True).first()
    since = before or first
    if since is not None:
        ledger.add_capacity(list(calendar.segments(since, until)), _model_names())


def _model_names() -> dict[str, str]:
    """Return the catalogue's name of every model that a driver has reported."""
    reported = Accelerator.objects.order_by("model").values_list("model", flat=True).distinct()
    return {model: model_name(model) for model in reported}


def _lock_progress() -> datetime | None:
    """Return up to when the meter has come; None before its first run. One run at a time."""
    MeterProgress.objects.bulk_create(
        [MeterProgress(id=ROW_ID, until=ledger.NEVER)], ignore_conflicts=True
    )
    row = MeterProgress.objects.select_for_update().get(pk=ROW_ID)
    return None if row.until == ledger.NEVER else row.until


def _save_progress(until: datetime) -> None:
    """Write down how far the meter has come and what that says of budgets, and tell pages."""
    MeterProgress.objects.filter(pk=ROW_ID).update(until=until)
    count_spending()
    invalidate_lists("usage")
