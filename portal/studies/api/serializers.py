"""Bodies and responses of the endpoints of studies."""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import UserRef
from portal.common.rest.serializers import (
    AMOUNT_MAX,
    InputSerializer,
    NameField,
    StrictIntegerField,
)
from portal.inventory.policy_shapes import PolicyChangeInput
from portal.quotas.models import Quota
from portal.studies.models import StudyPhase
from scheduler.core.model.resources import Resource
from scheduler.whatif.change import NODES_MAX

DAYS_MAX = 31
"""Days of the past that a study looks back."""
ROWS_MAX = 50
"""Pools, quotas and kinds of servers that one study may change."""


class PoolChange(InputSerializer):
    """Changed fields of a pool's policy."""

    pool = serializers.UUIDField()
    policy = PolicyChangeInput()


class StudyQuotaChange(InputSerializer):
    """Changed limits; what is left out does not change, a ceiling of null is unlimited."""

    group = serializers.UUIDField()
    pool = serializers.UUIDField(allow_null=True, default=None)
    resource = serializers.ChoiceField([item.value for item in Resource])
    guarantee = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    deserved = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX, required=False, allow_null=True)
    weight = serializers.ChoiceField(Quota.Weight.values, required=False)


class NodesChange(InputSerializer):
    """Additional servers, each like an existing node."""

    like = serializers.UUIDField()
    count = StrictIntegerField(min_value=1, max_value=NODES_MAX)


class StudyInput(InputSerializer):
    """A study: the work of the last days under other policies, quotas or with more servers."""

    title = NameField(max_length=100, allow_blank=True, default="")
    days = StrictIntegerField(min_value=1, max_value=DAYS_MAX)
    pools = serializers.ListField(child=PoolChange(), default=list, max_length=ROWS_MAX)
    quotas = serializers.ListField(child=StudyQuotaChange(), default=list, max_length=ROWS_MAX)
    nodes = serializers.ListField(child=NodesChange(), default=list, max_length=ROWS_MAX)


class FiguresShape(serializers.Serializer[Any]):
    """Figures of the real or a simulated past; null where the real past does not record them."""

    jobs = serializers.IntegerField()
    mean_wait_s = serializers.IntegerField()
    p99_wait_s = serializers.IntegerField()
    longest_wait_s = serializers.IntegerField()
    mean_completion_s = serializers.IntegerField(allow_null=True, default=None)
    gpu_hours = serializers.IntegerField(allow_null=True, default=None)
    utilisation_permille = serializers.IntegerField(allow_null=True, default=None)
    evictions = serializers.IntegerField(allow_null=True, default=None)
    never_start = serializers.IntegerField(allow_null=True, default=None)


class GroupFiguresShape(serializers.Serializer[Any]):
    """Figures of one group, under today's policies and under the change."""

    group = serializers.CharField()
    jobs = serializers.IntegerField()
    jobs_changed = serializers.IntegerField()
    mean_wait_s = serializers.IntegerField()
    mean_wait_s_changed = serializers.IntegerField()
    gpu_hours = serializers.IntegerField()
    gpu_hours_changed = serializers.IntegerField()
    evictions = serializers.IntegerField()
    evictions_changed = serializers.IntegerField()


class PointShape(serializers.Serializer[Any]):
    """Means over one step of time."""

    at_ms = serializers.IntegerField()
    busy_permille = serializers.IntegerField()
    waiting = serializers.IntegerField()


class CurvesShape(serializers.Serializer[Any]):
    """Both simulations over time."""

    today = PointShape(many=True)
    changed = PointShape(many=True)


class FindingsShape(serializers.Serializer[Any]):
    """Figures of the real past, of today's policies and of the change."""

    was = FiguresShape()
    today = FiguresShape()
    changed = FiguresShape()
    groups = GroupFiguresShape(many=True)
    curves = CurvesShape()


class NamedQuotaShape(serializers.Serializer[Any]):
    """Changed limits; what does not change is left out."""

    group = serializers.CharField()
    pool = serializers.CharField(allow_blank=True, help_text="Empty is all pools together.")
    resource = serializers.CharField()
    guarantee = serializers.IntegerField(required=False)
    deserved = serializers.IntegerField(required=False)
    ceiling = serializers.IntegerField(required=False)
    unlimited = serializers.BooleanField(
        required=False, help_text="The change removes the ceiling."
    )
    weight = serializers.CharField(required=False)


class NamedNodesShape(serializers.Serializer[Any]):
    """Additional servers."""

    like = serializers.CharField()
    count = serializers.IntegerField()


class ChangeShape(serializers.Serializer[Any]):
    """The change, by names, as in a policy file of the simulator."""

    pools = serializers.DictField(
        child=serializers.DictField(), help_text="The changed fields of the policy, by pool."
    )
    quotas = NamedQuotaShape(many=True)
    nodes = NamedNodesShape(many=True)


class StudyOutput(serializers.Serializer[Any]):
    """A study without its findings."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    asked_by = UserRef()
    created_at = serializers.DateTimeField()
    days = serializers.IntegerField()
    change = ChangeShape()
    phase = serializers.ChoiceField(StudyPhase.values)
    failure = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class StudyDetailOutput(StudyOutput):
    """A study with its findings."""

    findings = FindingsShape(allow_null=True)
