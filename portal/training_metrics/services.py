"""Writes of training metrics: what a log holds, once, whatever is read or sent again."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from portal.common.clock import from_millis, now, to_millis
from portal.common.notifications import invalidate_topics
from portal.training_metrics.log_position import LogPosition, LogStream
from portal.training_metrics.metric_lines import NOTHING_READ, LinesRead, MetricLine
from portal.training_metrics.models import MetricBlock, MetricSeries, MetricStream, Source
from portal.training_metrics.thinning import POINTS_MAX, LinePoint, ThinnedLine, extremes
from portal.workloads.models import Workload

NAMES_MAX: Final = 100
"""Metrics of one rank."""
SERIES_MAX: Final = 1000
"""Lines of one job, over all of its ranks."""
BLOCK_POINTS: Final = 128
"""Points of one block: so many at most are written again when one is added."""
EXPIRED_MAX: Final = 500
"""Ranks whose metrics are deleted in one run; the next run continues."""


@transaction.atomic
def record_lines(
    stream: LogStream,
    found: LinesRead,
    *,
    begin: LogPosition,
    end: LogPosition,
    events: LinesRead = NOTHING_READ,
) -> LogPosition | None:
    """Store what was read between two positions; return from where to continue, None if nowhere.

    `events` is what was read of the event files.

    Another process may have stored the same meanwhile: then its position is returned. Nothing more is
    stored of an attempt once a later one has reported.
    """
    if not Workload.objects.filter(pk=stream.workload_id).exists():
        return None
    MetricStream.objects.get_or_create(workload_id=stream.workload_id, rank=stream.rank)
    row = MetricStream.objects.select_for_update().get(
        workload=stream.workload_id, rank=stream.rank
    )
    if row.epoch > stream.epoch:
        return None
    if row.epoch < stream.epoch:
        row.epoch = stream.epoch
        row.log_offset = row.excess_offset = row.events_offset = 0
    stored = LogPosition(row.log_offset, row.excess_offset, row.events_offset)
    if stored.is_beyond(begin):
        return stored
    _store(row, found, Source.LOG)
    _store(row, events, Source.EVENTS)
    row.log_offset, row.excess_offset, row.events_offset = end.log, end.excess, end.events
    row.updated_at = now()
    row.save()
    invalidate_topics([f"metrics:{stream.workload_id}"])
    return end


@transaction.atomic
def delete_expired(before: datetime) -> int:
    """Delete the metrics of ranks of which nothing was reported since then; return how many."""
    expired = MetricStream.objects.filter(updated_at__lt=before).order_by("id")
    rows = list(expired.select_for_update(skip_locked=True)[:EXPIRED_MAX])
    for row in rows:
        MetricSeries.objects.filter(workload=row.workload_id, rank=row.rank).delete()
    MetricStream.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _store(stream: MetricStream, found: LinesRead, source: Source) -> None:
    """Add what was read to the lines of a locked stream."""
    if not found.lines and not found.malformed:
        return
    stream.malformed += found.malformed
    stream.malformed_example = stream.malformed_example or found.example
    wanted = {name for line in found.lines for name in line.values}
    series = _series_of(stream, wanted, source)
    reports: dict[str, list[MetricLine]] = defaultdict(list)
    for line in found.lines:
        for name in line.values:
            if name not in series:
                stream.names_left_out += 1
            elif series[name].epoch != stream.epoch or series[name].source == source:
                reports[name].append(line)
    lines = _load_lines(stream, series, reports)
    seen_at = to_millis(now())
    for name, told in reports.items():
        stream.steps_left_out += _add_reports(
            series[name], lines[name], told, seen_at, stream.epoch
        )
        series[name].source = source
    _save_lines([(series[name], lines[name]) for name in reports])


def _series_of(
    stream: MetricStream, names: Iterable[str], source: Source
) -> dict[str, MetricSeries]:
    """Return the rows of these metrics, with unsaved ones for new names as far as limits allow."""
    own = MetricSeries.objects.filter(workload=stream.workload_id)
    of_rank = {row.name: row for row in own.filter(rank=stream.rank)}
    fresh = sorted(set(names) - of_rank.keys())
    room = min(NAMES_MAX - len(of_rank), SERIES_MAX - own.count()) if fresh else 0
    created = [
        MetricSeries(
            workload_id=stream.workload_id,
            rank=stream.rank,
            name=name,
            epoch=stream.epoch,
            source=source,
        )
        for name in fresh[: max(room, 0)]
    ]
    return of_rank | {row.name: row for row in created}


def _load_lines(
    stream: MetricStream,
    series: Mapping[str, MetricSeries],
    reports: Mapping[str, Sequence[MetricLine]],
) -> dict[str, ThinnedLine]:
    """Return the lines that reports go to: their ends, or all of those that are full or resumed."""
    rows = [series[name] for name in reports]
    whole = [
        row.pk
        for row in rows
        if row.epoch != stream.epoch
        or row.length + len(reports[row.name]) // row.stride + 1 > POINTS_MAX
    ]
    blocks = MetricBlock.objects.filter(series__in=[row.pk for row in rows]).filter(
        Q(series__in=whole) | Q(number__gte=F("series__open_block"))
    )
    points: dict[UUID, list[LinePoint]] = defaultdict(list)
    for block in blocks.order_by("series", "number"):
        points[block.series_id].extend(block.points)
    return {
        row.name: ThinnedLine(
            points[row.pk],
            row.stride,
            row.open_count,
            first=0 if row.pk in whole else row.open_block * BLOCK_POINTS,
        )
        for row in rows
    }


def _add_reports(
    series: MetricSeries,
    line: ThinnedLine,
    reports: Sequence[MetricLine],
    seen_at: int,
    epoch: int,
) -> int:
    """Add reports to a line; return how many were left out because their step went back."""
    left_out = 0
    for report in reports:
        value = report.values[series.name]
        step = report.step
        if step is None:
            step = series.last_step + 1 if series.reports else 0
        if series.epoch != epoch:
            _resume(series, line, step, epoch)
        elif series.reports and step < series.last_step:
            left_out += 1
            continue
        at_ms = seen_at if report.at_ms is None else report.at_ms
        line.add(step, at_ms, value if math.isfinite(value) else None)
        _note_report(series, step, at_ms, value)
    return left_out


def _resume(series: MetricSeries, line: ThinnedLine, step: int, epoch: int) -> None:
    """Replace what earlier attempts reported from this step on: the new attempt repeats it."""
    line.cut(step)
    series.epoch = epoch
    low, high = extremes(line.points)
    series.low_value, series.low_step = (low.low, low.step) if low else (None, None)
    series.high_value, series.high_step = (high.high, high.step) if high else (None, None)


def _note_report(series: MetricSeries, step: int, at_ms: int, value: float) -> None:
    """Keep what tables show of a series."""
    series.reports += 1
    series.last_step, series.last_at = step, from_millis(at_ms)
    if not math.isfinite(value):
        series.last_value, series.last_word = None, _word_of(value)
        if series.not_finite == 0:
            series.not_finite_step = step
        series.not_finite += 1
        return
    series.last_value, series.last_word = value, ""
    if series.low_value is None or value < series.low_value:
        series.low_value, series.low_step = value, step
    if series.high_value is None or value > series.high_value:
        series.high_value, series.high_step = value, step


def _word_of(value: float) -> str:
    if math.isnan(value):
        return "nan"
    return "inf" if value > 0 else "-inf"


def _save_lines(changed: Sequence[tuple[MetricSeries, ThinnedLine]]) -> None:
    """Write the rows of series, and of each line the blocks that are in memory."""
    blocks: list[MetricBlock] = []
    shortened: list[MetricSeries] = []
    for series, line in changed:
        series.stride, series.open_count = line.stride, line.open_count
        if line.length < series.length:
            shortened.append(series)
        series.length = line.length
        first = line.first // BLOCK_POINTS
        parts = range(0, len(line.points), BLOCK_POINTS)
        for number, at in enumerate(parts, start=first):
            blocks.append(_block(series, number, line.points[at : at + BLOCK_POINTS]))
        series.open_block = max(0, line.length - 1) // BLOCK_POINTS
    MetricSeries.objects.bulk_create(
        [series for series, _ in changed],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=_SERIES_COLUMNS,
    )
    MetricBlock.objects.bulk_create(
        blocks,
        update_conflicts=True,
        unique_fields=["series", "number"],
        update_fields=["steps", "times", "means", "lows", "highs"],
    )
    for series in shortened:
        MetricBlock.objects.filter(series=series, number__gt=series.open_block).delete()


def _block(series: MetricSeries, number: int, points: Sequence[LinePoint]) -> MetricBlock:
    steps, times, means, lows, highs = (list(column) for column in zip(*points, strict=True))
    return MetricBlock(
        series=series, number=number, steps=steps, times=times, means=means, lows=lows, highs=highs
    )


_SERIES_COLUMNS: Final = (
    "epoch",
    "source",
    "stride",
    "open_count",
    "length",
    "open_block",
    "reports",
    "last_step",
    "last_at",
    "last_value",
    "last_word",
    "low_value",
    "low_step",
    "high_value",
    "high_step",
    "not_finite",
    "not_finite_step",
)
