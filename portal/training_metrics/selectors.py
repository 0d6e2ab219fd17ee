"""Reads of training metrics, for those who may see the job."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import F, Q, QuerySet

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import InvalidError
from portal.training_metrics.log_position import LogPosition, LogStream
from portal.training_metrics.models import MetricBlock, MetricSeries, MetricStream
from portal.training_metrics.thinning import LinePoint, thin
from portal.workloads.models import JobArray, Workload
from portal.workloads.selectors import array_visible_to, workload_visible_where
from scheduler.core.model.states import TERMINAL

LINES_MAX: Final = 500
"""Lines of charts in one answer: jobs times metrics."""
TASKS_MAX: Final = 1000
"""Tasks of an array in one table of results: the best by the metric that it is sorted by."""
RESUMED_MAX: Final = 10_000
"""Logs that a process looks at when it starts."""
RESUMED_AGE: Final = timedelta(hours=1)
"""A log whose job has ended is looked at for so long after its last metric."""


@dataclass(frozen=True, slots=True)
class JobMetrics:
    """The metrics of one rank of a job, and what was left out."""

    rank: int
    ranks: Sequence[int]
    """Those that have reported."""
    metrics: Sequence[MetricSeries]
    stream: MetricStream | None


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One metric of one job, thinned for a chart."""

    job: Workload
    series: MetricSeries
    points: Sequence[LinePoint]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One task of an array with its metrics by name."""

    task: Workload
    metrics: Mapping[str, MetricSeries]


@dataclass(frozen=True, slots=True)
class ArrayResults:
    """The tasks of an array, the best first."""

    array: JobArray
    names: Sequence[str]
    sorted_by: str | None
    rows: Sequence[ResultRow]


def job_metrics(actor: Actor, workload_id: UUID, rank: int) -> JobMetrics:
    """Return what one rank of a visible job has reported."""
    job = _job_visible_to(actor, workload_id)
    series = MetricSeries.objects.filter(workload=job)
    ranks = series.order_by("rank").values_list("rank", flat=True).distinct()
    stream = MetricStream.objects.filter(workload=job, rank=rank).first()
    return JobMetrics(rank, list(ranks), list(series.filter(rank=rank).order_by("name")), stream)


def chart_lines(
    actor: Actor, job_ids: Sequence[UUID], names: Collection[str], rank: int, points: int
) -> list[ChartLine]:
    """Return the lines of some metrics of visible jobs, all metrics if none is named.

    Raises:
        InvalidError: there are more than `LINES_MAX`.
    """
    jobs = [_job_visible_to(actor, key) for key in job_ids]
    rows = MetricSeries.objects.filter(workload__in=jobs, rank=rank).order_by("name")
    found = list(rows.filter(name__in=names) if names else rows)
    if len(found) > LINES_MAX:
        raise InvalidError("too_many_lines", limit=LINES_MAX)
    by_job = {job.pk: job for job in jobs}
    whole = _points_by_series(found)
    order = {job.pk: place for place, job in enumerate(jobs)}
    found.sort(key=lambda row: (row.name, order[row.workload_id]))
    return [ChartLine(by_job[row.workload_id], row, thin(whole[row.pk], points)) for row in found]


def array_results(
    actor: Actor, array_id: UUID, *, metric: str | None, by: str, descending: bool
) -> ArrayResults:
    """Return the tasks of a visible array with what their first rank has reported.

    Sorted by a metric's lowest, highest or last value, the first metric if none is named; tasks that
    have not reported it are last.
    """
    array = array_visible_to(actor, array_id)
    series = MetricSeries.objects.filter(workload__array=array, rank=0)
    names = list(series.order_by("name").values_list("name", flat=True).distinct())
    metric = metric or next(iter(names), None)
    tasks = _sorted_tasks(series.filter(name=metric), f"{by}_value", descending=descending)
    if len(tasks) < TASKS_MAX:
        others = Workload.objects.filter(array=array).exclude(pk__in=tasks)
        rest = others.order_by("array_index").values_list("pk", flat=True)
        tasks += list(rest[: TASKS_MAX - len(tasks)])
    jobs = Workload.objects.defer("spec").in_bulk(tasks)
    by_task: dict[UUID, dict[str, MetricSeries]] = defaultdict(dict)
    for row in series.filter(workload__in=tasks).order_by("name"):
        by_task[row.workload_id][row.name] = row
    rows = [ResultRow(jobs[key], by_task[key]) for key in tasks]
    return ArrayResults(array, names, metric, rows)


def positions_for_system() -> Iterator[tuple[LogStream, LogPosition]]:
    """Yield the logs that may hold more metrics than are stored, and how far they were read."""
    ended = [state.value for state in TERMINAL]
    rows = MetricStream.objects.filter(
        ~Q(workload__state__in=ended) | Q(updated_at__gte=now() - RESUMED_AGE)
    ).order_by("-updated_at")
    for row in rows[:RESUMED_MAX]:
        stream = LogStream(row.workload_id, row.rank, row.epoch)
        yield stream, LogPosition(row.log_offset, row.excess_offset, row.events_offset)


def position_for_system(stream: LogStream) -> LogPosition:
    """Return how far a log was read."""
    row = MetricStream.objects.filter(
        workload=stream.workload_id, rank=stream.rank, epoch=stream.epoch
    ).first()
    if row is None:
        return LogPosition()
    return LogPosition(row.log_offset, row.excess_offset, row.events_offset)


def _job_visible_to(actor: Actor, workload_id: UUID) -> Workload:
    return workload_visible_where(actor, workload_id, lambda terms: terms.runs_to_end)


def _sorted_tasks(series: "QuerySet[MetricSeries]", column: str, *, descending: bool) -> list[UUID]:
    value = F(column)
    order = value.desc(nulls_last=True) if descending else value.asc(nulls_last=True)
    rows = series.order_by(order, "workload__array_index")
    return list(rows.values_list("workload", flat=True)[:TASKS_MAX])


def _points_by_series(series: Sequence[MetricSeries]) -> Mapping[UUID, list[LinePoint]]:
    points: dict[UUID, list[LinePoint]] = defaultdict(list)
    blocks = MetricBlock.objects.filter(series__in=[row.pk for row in series])
    for block in blocks.order_by("series", "number"):
        points[block.series_id].extend(block.points)
    return points
