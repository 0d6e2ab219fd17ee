"""Serializers of training metrics."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from typing_extensions import override

from portal.common.rest.serializers import FieldFault, OneOfField, QuerySerializer
from portal.training_metrics.metric_lines import is_metric_name
from portal.training_metrics.thinning import POINTS_MAX
from scheduler.core.model.states import WorkloadState
from wire.log_lines import METRIC_NAME_MAX
from wire.messages import REPLICAS_MAX

JOBS_MAX = 10
"""Jobs whose metrics are compared at once."""
NAMES_ASKED_MAX = 50
"""Metrics that one request may name; without any it is about all."""
POINTS_DEFAULT = 400
"""Points of one line where the request does not say how many."""
BEST_BY = ("last", "low", "high")


class IdListField(serializers.CharField):
    """Ids with commas between them."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return them once each, in order."""
        try:
            found = list(dict.fromkeys(UUID(item) for item in _items(data)))
        except ValueError as error:
            raise serializers.ValidationError([FieldFault("not_ids")]) from error
        if len(found) > JOBS_MAX - 1:
            raise serializers.ValidationError([FieldFault("too_many_jobs", max=JOBS_MAX)])
        return found


class NameListField(serializers.CharField):
    """Names of metrics with commas between them."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return them once each."""
        found = list(dict.fromkeys(_items(data)))
        if not all(map(is_metric_name, found)):
            raise serializers.ValidationError([FieldFault("not_metric_names")])
        if len(found) > NAMES_ASKED_MAX:
            raise serializers.ValidationError([FieldFault("too_many_names", max=NAMES_ASKED_MAX)])
        return found


def _items(text: Any) -> list[str]:
    return [item for item in str(text).split(",") if item]


class RankQuery(QuerySerializer):
    """Which rank is meant."""

    paging: ClassVar[frozenset[str]] = frozenset()

    rank = serializers.IntegerField(required=False, min_value=0, max_value=REPLICAS_MAX - 1)


class LinesQuery(RankQuery):
    """Which lines are meant, and how many points of each."""

    others = IdListField(
        required=False,
        max_length=40 * JOBS_MAX,
        help_text="Ids of other jobs to compare with, with commas between them.",
    )
    names = NameListField(
        required=False,
        max_length=(METRIC_NAME_MAX + 1) * NAMES_ASKED_MAX,
        help_text="Names of metrics with commas between them; all by default.",
    )
    points = serializers.IntegerField(required=False, min_value=2, max_value=POINTS_MAX)


class ResultsQuery(QuerySerializer):
    """By what the results of an array are sorted."""

    paging: ClassVar[frozenset[str]] = frozenset()

    metric = serializers.CharField(
        required=False, max_length=METRIC_NAME_MAX, help_text="The first by name, if none is named."
    )
    by = OneOfField(choices=BEST_BY, required=False, help_text="Its last, lowest or highest value.")
    descending = serializers.BooleanField(required=False)


class MetricShape(serializers.Serializer[Any]):
    """One metric of one rank; values are null while they are no numbers."""

    name = serializers.CharField()
    reports = serializers.IntegerField(help_text="Values that were reported, in all attempts.")
    last_step = serializers.IntegerField()
    last_at = serializers.DateTimeField()
    last_value = serializers.FloatField(allow_null=True)
    last_word = serializers.ChoiceField(
        choices=["", "nan", "inf", "-inf"], help_text="What the last value is if it is no number."
    )
    low_value = serializers.FloatField(allow_null=True)
    low_step = serializers.IntegerField(allow_null=True)
    high_value = serializers.FloatField(allow_null=True)
    high_step = serializers.IntegerField(allow_null=True)
    not_finite = serializers.IntegerField(help_text="Reports that were NaN or infinite.")
    not_finite_step = serializers.IntegerField(allow_null=True)


class LeftOutShape(serializers.Serializer[Any]):
    """What was reported but is not shown."""

    malformed = serializers.IntegerField(help_text="Metrics lines that were not understood.")
    example = serializers.CharField(allow_blank=True, help_text="The first of them.")
    names = serializers.IntegerField(help_text="Values of metrics beyond the limit.")
    steps = serializers.IntegerField(help_text="Values whose step was below an earlier one.")


class JobMetricsShape(serializers.Serializer[Any]):
    """The metrics of one rank of a job."""

    rank = serializers.IntegerField()
    ranks = serializers.ListField(
        child=serializers.IntegerField(), help_text="Those that have reported."
    )
    metrics = MetricShape(many=True)
    left_out = LeftOutShape()


class ComparedJobShape(serializers.Serializer[Any]):
    """A job as the legend of a chart names it."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    array_index = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=[state.value for state in WorkloadState])


class ChartLineShape(serializers.Serializer[Any]):
    """One metric of one job; each point is the mean of neighbouring values, with their extremes."""

    job = serializers.UUIDField()
    name = serializers.CharField()
    steps = serializers.ListField(child=serializers.IntegerField())
    times = serializers.ListField(
        child=serializers.IntegerField(), help_text="Unix milliseconds, of the last value."
    )
    means = serializers.ListField(child=serializers.FloatField(allow_null=True))
    lows = serializers.ListField(child=serializers.FloatField(allow_null=True))
    highs = serializers.ListField(child=serializers.FloatField(allow_null=True))


class ChartLinesShape(serializers.Serializer[Any]):
    """Lines of one or several jobs, sorted by metric."""

    jobs = ComparedJobShape(many=True)
    lines = ChartLineShape(many=True)


class ResultShape(serializers.Serializer[Any]):
    """One task of an array with its metrics."""

    task = ComparedJobShape()
    metrics = MetricShape(many=True)


class ArrayResultsShape(serializers.Serializer[Any]):
    """The tasks of an array, sorted by one metric; the best are shown if there are very many."""

    names = serializers.ListField(child=serializers.CharField())
    sorted_by = serializers.CharField(allow_null=True)
    results = ResultShape(many=True)
