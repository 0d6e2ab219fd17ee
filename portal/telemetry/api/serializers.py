"""Serializers of charts."""

from typing import Any, ClassVar

from rest_framework import serializers
from typing_extensions import override

from portal.common.rest.serializers import (
    CommaListField,
    FieldFault,
    IdField,
    OneOfField,
    QuerySerializer,
)
from portal.common.rest.times import MomentField
from portal.telemetry.selectors import RANKS_MAX
from portal.telemetry.work_use import WORK_MAX
from wire.messages import REPLICAS_MAX

SUBJECTS = ("card", "node", "pool", "cluster", "workload")
STEP_S_MAX = 604_800
"""Length of one step of a curve."""


class TelemetryQuery(QuerySerializer):
    """The subject of a chart, its time range (the last hour by default) and its steps."""

    paging: ClassVar[frozenset[str]] = frozenset()

    card = IdField(required=False)
    node = IdField(required=False)
    pool = IdField(required=False)
    cluster = OneOfField(choices=["true"], required=False)
    workload = IdField(required=False)
    first_rank = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=REPLICAS_MAX - 1,
        help_text=f"Of a workload, the first of the {RANKS_MAX} ranks that are shown; 0 by default.",
    )
    since = MomentField(required=False)
    until = MomentField(required=False)
    step_s = serializers.IntegerField(required=False, min_value=1, max_value=STEP_S_MAX)

    @override
    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one subject, and a workload where ranks are chosen."""
        if sum(name in attrs for name in SUBJECTS) != 1:
            raise serializers.ValidationError({"workload": [FieldFault("one_subject_needed")]})
        if "first_rank" in attrs and "workload" not in attrs:
            raise serializers.ValidationError({"first_rank": [FieldFault("rank_needs_workload")]})
        return attrs


class _Numbers(serializers.ListField):
    """Numbers as they are: an answer has thousands, and each is one already."""

    @override
    def to_representation(self, data: list[float | None]) -> list[float | None]:
        """Return the list itself."""
        return data


class SeriesOutput(serializers.Serializer[Any]):
    """One line of a chart."""

    subject = serializers.CharField()
    title = serializers.CharField()
    metric = serializers.CharField()
    unit = serializers.CharField()
    limit = serializers.FloatField(allow_null=True)
    values = _Numbers(child=serializers.FloatField(allow_null=True))


class TelemetryOutput(serializers.Serializer[Any]):
    """Lines over the same times; null, not zero, where nothing was measured."""

    step_s = serializers.IntegerField()
    times = _Numbers(child=serializers.IntegerField())
    series = SeriesOutput(many=True)


class WorkUseQuery(QuerySerializer):
    """Whose use is asked for."""

    paging: ClassVar[frozenset[str]] = frozenset()

    ids = CommaListField(
        child=IdField(), max_length=WORK_MAX, help_text="Workloads, with commas between their ids."
    )


class _WorkUseShape(serializers.Serializer[Any]):
    """The use of the GPUs of one workload, oldest first."""

    workload = serializers.UUIDField()
    use_pct = serializers.ListField(
        child=serializers.IntegerField(allow_null=True),
        help_text="Mean of its ranks, one value every two minutes; null where nothing was measured.",
    )


class WorkUseOutput(serializers.Serializer[Any]):
    """The last hour of several workloads."""

    uses = _WorkUseShape(many=True)
