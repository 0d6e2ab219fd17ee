"""Reads of what the endpoints of services carried; processes are added up."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Sum

from portal.serving_usage.loads import (
    SecondOfLoad,
    UseOfKey,
    encode_histogram,
    merge_histograms,
)
from portal.serving_usage.models import KeyUsage, ServiceHour, ServiceLoad

_HOUR: Final = timedelta(hours=1)


def loads_for_system(
    service_ids: Iterable[UUID], begin: datetime, end: datetime
) -> list[SecondOfLoad]:
    """Return the seconds of services in `[begin, end)` by time; a second that nobody reported is missing."""
    rows = ServiceLoad.objects.filter(
        service_id__in=list(service_ids), second__gte=begin, second__lt=end
    ).order_by("second", "service_id", "process")
    grouped: dict[tuple[datetime, UUID], list[ServiceLoad]] = defaultdict(list)
    for row in rows:
        grouped[row.second, row.service_id].append(row)
    return [_merge(rows) for rows in grouped.values()]


def newest_second_for_system(service_id: UUID) -> datetime | None:
    """Return the newest second reported of a service; None without any."""
    newest = ServiceLoad.objects.filter(service_id=service_id).order_by("-second")
    return newest.values_list("second", flat=True).first()


def hours_for_system(service_id: UUID, begin: datetime, end: datetime) -> list[int]:
    """Return the requests of each hour of a service up to `end`, oldest first.

    It begins at `begin` or its first known hour, if that is later; an hour without any is 0. Both ends are
    whole hours.
    """
    rows = ServiceHour.objects.filter(service_id=service_id, hour__gte=begin, hour__lt=end)
    known = dict(rows.order_by("hour").values_list("hour", "arrivals"))
    if not known:
        return []
    first = min(known)
    return [known.get(first + number * _HOUR, 0) for number in range((end - first) // _HOUR)]


def use_by_key_for_system(
    service_ids: Iterable[UUID], begin: datetime, end: datetime
) -> list[UseOfKey]:
    """Return what keys used by the hour in `[begin, end)`, oldest first."""
    rows = KeyUsage.objects.filter(
        service_id__in=list(service_ids), hour__gte=begin, hour__lt=end
    ).order_by("hour", "service_id", "key_id")
    return [
        UseOfKey(
            row.service_id,
            row.key_id,
            row.hour,
            row.requests,
            row.prompt_tokens,
            row.completion_tokens,
            row.cut,
            row.failed,
        )
        for row in rows
    ]


def totals_of_keys_for_system(service_id: UUID) -> dict[UUID, dict[str, int]]:
    """Return what each key of a service has used in all: requests, tokens, cut and failed answers."""
    names = ("requests", "prompt_tokens", "completion_tokens", "cut", "failed")
    sums = [Sum(name) for name in names]
    rows = KeyUsage.objects.filter(service_id=service_id).values("key_id").order_by("key_id")
    summed = rows.values_list("key_id", *sums)
    return {key_id: dict(zip(names, amounts, strict=True)) for key_id, *amounts in summed}


def _merge(rows: Sequence[ServiceLoad]) -> SecondOfLoad:
    opened: dict[UUID, int] = defaultdict(int)
    for row in rows:
        for replica, count in row.open_by_replica.items():
            opened[UUID(replica)] += count
    counts = ("in_flight", "held", "arrivals", "completed", "failed", "refused")
    return SecondOfLoad(
        service_id=rows[0].service_id,
        second=rows[0].second,
        # Each process asks all replicas: the same queue is not counted twice, and who knows it newest counts.
        waiting=max(row.waiting for row in rows),
        waiting_age_ms=min(row.waiting_age_ms for row in rows),
        open_by_replica=dict(opened),
        latency=_merged([row.latency for row in rows]),
        first_byte=_merged([row.first_byte for row in rows]),
        **{name: sum(getattr(row, name) for row in rows) for name in counts},
    )


def _merged(encoded: Sequence[str]) -> str:
    return encoded[0] if len(encoded) == 1 else encode_histogram(merge_histograms(encoded))
