"""Endpoints of training metrics: for those who may see the job."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.files import csv_response
from portal.common.rest.views import ApiRequest, ApiView
from portal.training_metrics import selectors
from portal.training_metrics.api.serializers import (
    POINTS_DEFAULT,
    ArrayResultsShape,
    ChartLinesShape,
    JobMetricsShape,
    LinesQuery,
    RankQuery,
    ResultsQuery,
)
from portal.training_metrics.metric_files import lines_csv, results_csv
from portal.training_metrics.models import MetricStream
from portal.training_metrics.selectors import ArrayResults, ChartLine
from portal.training_metrics.thinning import POINTS_MAX

_CSV = {(200, "text/csv"): OpenApiTypes.STR}


class JobMetricsView(ApiView):
    """The metrics of a job."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(parameters=[RankQuery], responses=JobMetricsShape)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """List what one rank of a job has printed as metrics: last, lowest and highest values."""
        rank = RankQuery.parse(request).get("rank", 0)
        found = selectors.job_metrics(request.actor, workload_id, rank)
        shown = {
            "rank": found.rank,
            "ranks": found.ranks,
            "metrics": found.metrics,
            "left_out": _left_out(found.stream),
        }
        return Response(JobMetricsShape(shown).data)


class ChartLinesView(ApiView):
    """The metrics of jobs over their steps."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False
    refuses_questions = True

    @extend_schema(parameters=[LinesQuery], responses=ChartLinesShape)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return the lines of a job's metrics, and of the same metrics of other jobs beside them."""
        lines = _lines(request, workload_id, POINTS_DEFAULT)
        jobs = {line.job.pk: line.job for line in lines}
        shown = {"jobs": list(jobs.values()), "lines": [_line(line) for line in lines]}
        return Response(ChartLinesShape(shown).data)


class ChartLinesFileView(ApiView):
    """The metrics of jobs as a file."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    refuses_questions = True

    @extend_schema(parameters=[LinesQuery], responses=_CSV)
    def get(self, request: ApiRequest, workload_id: UUID) -> HttpResponse:
        """Download lines as CSV, a row for each point that is kept."""
        lines = _lines(request, workload_id, POINTS_MAX)
        return csv_response(lines_csv(lines), f"metrics-{workload_id}")


class ArrayResultsView(ApiView):
    """The results of the tasks of an array."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(parameters=[ResultsQuery], responses=ArrayResultsShape)
    def get(self, request: ApiRequest, array_id: UUID) -> Response:
        """List the tasks of an array with their metrics, the best by one of them first."""
        found = _results(request, array_id)
        rows = [{"task": row.task, "metrics": list(row.metrics.values())} for row in found.rows]
        shown = {"names": found.names, "sorted_by": found.sorted_by, "results": rows}
        return Response(ArrayResultsShape(shown).data)


class ArrayResultsFileView(ApiView):
    """The results of the tasks of an array as a file."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(parameters=[ResultsQuery], responses=_CSV)
    def get(self, request: ApiRequest, array_id: UUID) -> HttpResponse:
        """Download the same as CSV, a row for each task."""
        return csv_response(results_csv(_results(request, array_id)), f"results-{array_id}")


def _lines(request: ApiRequest, workload_id: UUID, points: int) -> Sequence[ChartLine]:
    asked = LinesQuery.parse(request)
    others = [key for key in asked.get("others", ()) if key != workload_id]
    return selectors.chart_lines(
        request.actor,
        [workload_id, *others],
        asked.get("names", ()),
        asked.get("rank", 0),
        asked.get("points", points),
    )


def _results(request: ApiRequest, array_id: UUID) -> ArrayResults:
    asked = ResultsQuery.parse(request)
    return selectors.array_results(
        request.actor,
        array_id,
        metric=asked.get("metric"),
        by=asked.get("by", "last"),
        descending=asked.get("descending", False),
    )


def _left_out(stream: MetricStream | None) -> dict[str, Any]:
    if stream is None:
        return {"malformed": 0, "example": "", "names": 0, "steps": 0}
    return {
        "malformed": stream.malformed,
        "example": stream.malformed_example,
        "names": stream.names_left_out,
        "steps": stream.steps_left_out,
    }


def _line(line: ChartLine) -> dict[str, Any]:
    points = line.points
    return {
        "job": line.job.pk,
        "name": line.series.name,
        "steps": [point.step for point in points],
        "times": [point.at_ms for point in points],
        "means": [point.mean for point in points],
        "lows": [point.low for point in points],
        "highs": [point.high for point in points],
    }
