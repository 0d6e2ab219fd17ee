"""Writes of what the endpoints of services carried."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Sum
from django.db.models.functions import TruncHour

from portal.common.clock import now
from portal.serving_usage.loads import LoadReport, SecondOfLoad, UseOfKey
from portal.serving_usage.models import CountedReport, KeyUsage, ServiceHour, ServiceLoad

SECONDS_KEPT: Final = timedelta(hours=6)
"""How long load by the second is kept; use by key stays."""
REPORTS_KEPT: Final = timedelta(hours=24)
"""How long a report is recognised; no process repeats one for so long."""
HOURS_KEPT: Final = timedelta(days=70)
"""How long load by the hour is kept: twice what forecasts look back."""
_COUNTED: Final = ("requests", "prompt_tokens", "completion_tokens", "cut", "failed")


def record_report(report: LoadReport) -> bool:
    """Count a report of a process; return False if it was counted before."""
    with transaction.atomic():
        _, is_new = CountedReport.objects.get_or_create(
            pk=report.report_id, defaults={"counted_at": now()}
        )
        if is_new:
            _record_seconds(report.process, report.seconds)
            _add_use(report.keys)
    return is_new


def prune_seconds() -> int:
    """Delete load by the second and reports that are no longer needed; return how many rows."""
    seconds, _ = ServiceLoad.objects.filter(second__lt=now() - SECONDS_KEPT).delete()
    reports, _ = CountedReport.objects.filter(counted_at__lt=now() - REPORTS_KEPT).delete()
    hours, _ = ServiceHour.objects.filter(hour__lt=now() - HOURS_KEPT).delete()
    return seconds + reports + hours


def roll_up_hours() -> int:
    """Add the requests of hours that are over; return how many rows were written.

    It may run at any time and again: an hour is summed again while all of its seconds are kept, so a report
    that comes late is in it.
    """
    this_hour = now().replace(minute=0, second=0, microsecond=0)
    rows = ServiceLoad.objects.filter(
        second__gte=this_hour - SECONDS_KEPT + timedelta(hours=1), second__lt=this_hour
    )
    by_hour = rows.annotate(hour=TruncHour("second", tzinfo=UTC)).values("service_id", "hour")
    summed = by_hour.annotate(sum=Sum("arrivals")).order_by("service_id", "hour")
    found = [
        ServiceHour(service_id=row["service_id"], hour=row["hour"], arrivals=row["sum"])
        for row in summed
    ]
    ServiceHour.objects.bulk_create(
        found,
        update_conflicts=True,
        unique_fields=["service_id", "hour"],
        update_fields=["arrivals"],
    )
    return len(found)


def _record_seconds(process: str, seconds: Sequence[SecondOfLoad]) -> None:
    rows = []
    for each in seconds:
        opened = {str(replica): count for replica, count in each.open_by_replica.items()}
        rows.append(ServiceLoad(process=process, **{**asdict(each), "open_by_replica": opened}))
    ServiceLoad.objects.bulk_create(rows, ignore_conflicts=True)


def _add_use(used: Sequence[UseOfKey]) -> None:
    """Add to the hours of keys; in the order of their rows, so that two processes do not wait crosswise."""
    ordered = sorted(used, key=lambda each: (each.service_id, each.key_id, each.hour))
    for each in ordered:
        row = {"service_id": each.service_id, "key_id": each.key_id, "hour": each.hour}
        KeyUsage.objects.bulk_create([KeyUsage(**row)], ignore_conflicts=True)
        KeyUsage.objects.filter(**row).update(
            **{name: F(name) + getattr(each, name) for name in _COUNTED}
        )
