"""Metrics as CSV, for spreadsheets and for programs."""

from collections.abc import Iterable

from portal.common.clock import from_millis
from portal.common.rest.files import csv_text, plain_cell
from portal.training_metrics.models import MetricSeries
from portal.training_metrics.selectors import ArrayResults, ChartLine


def lines_csv(lines: Iterable[ChartLine]) -> str:
    """Return a row for each point: mean, lowest and highest of the values that it stands for."""
    rows = (
        [
            str(line.job.pk),
            plain_cell(line.job.name),
            "" if line.job.array_index is None else line.job.array_index,
            plain_cell(line.series.name),
            point.step,
            from_millis(point.at_ms).isoformat(),
            *("nan" if value is None else repr(value) for value in point[2:]),
        ]
        for line in lines
        for point in line.points
    )
    head = ["job", "name", "array_index", "metric", "step", "time", "mean", "low", "high"]
    return csv_text(head, rows)


def results_csv(results: ArrayResults) -> str:
    """Return a row for each task: of each metric its last, lowest and highest value."""
    columns = [
        f"{plain_cell(name)}:{what}" for name in results.names for what in ("last", "low", "high")
    ]
    rows = (
        [
            str(row.task.pk),
            "" if row.task.array_index is None else row.task.array_index,
            row.task.state,
            *(cell for name in results.names for cell in _cells(row.metrics.get(name))),
        ]
        for row in results.rows
    )
    return csv_text(["job", "array_index", "state", *columns], rows)


def _cells(metric: MetricSeries | None) -> tuple[object, ...]:
    if metric is None:
        return "", "", ""
    last = metric.last_word or metric.last_value
    return last, metric.low_value, metric.high_value
