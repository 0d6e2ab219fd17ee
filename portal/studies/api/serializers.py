"""Bodies and responses of the endpoints of studies."""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import (
    AMOUNT_MAX,
    IdField,
    InputSerializer,
    NameField,
    OneOfField,
    StrictIntegerField,
)
from portal.inventory.policy_shapes import PolicyChangeInput
from portal.quotas.models import Quota
from portal.studies.models import StoryName, StudyPhase
from scheduler.core.model.resources import Resource
from scheduler.whatif.change import NODES_MAX

DAYS_MAX = 31
"""Days of the past that a study looks back."""
ROWS_MAX = 50
"""Pools, quotas and kinds of servers that one study may change."""


class PoolChange(InputSerializer):
    """Changed fields of a pool's policy."""

    pool = IdField()
    policy = PolicyChangeInput()


class StudyQuotaChange(InputSerializer):
    """Changed limits; what is left out does not change, a ceiling of null is unlimited."""

    group = IdField()
    pool = IdField(allow_null=True, default=None)
    resource = OneOfField([item.value for item in Resource])
    guarantee = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    deserved = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX, required=False, allow_null=True)
    weight = OneOfField(Quota.Weight.values, required=False)


class NodesChange(InputSerializer):
    """Additional servers, each like an existing node."""

    like = IdField()
    count = StrictIntegerField(min_value=1, max_value=NODES_MAX)


class StudyInput(InputSerializer):
    """A study: the work of the last days under other policies, quotas or with more servers."""

    title = NameField(max_length=100, allow_blank=True, default="")
    group = IdField(allow_null=True, default=None)
    """It changes and finds only what is of this group and of those below it; admins of groups name theirs."""
    days = StrictIntegerField(min_value=1, max_value=DAYS_MAX)
    pools = serializers.ListField(child=PoolChange(), default=list, max_length=ROWS_MAX)
    quotas = serializers.ListField(child=StudyQuotaChange(), default=list, max_length=ROWS_MAX)
    nodes = serializers.ListField(child=NodesChange(), default=list, max_length=ROWS_MAX)


class StoryInput(InputSerializer):
    """A scenario that comes along with the product."""

    scenario = OneOfField(choices=StoryName.values)


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


class StoryLimitShape(serializers.Serializer[Any]):
    """What no scheduler can exceed."""

    card_hours_per_card_day = serializers.FloatField(help_text="Hours that a GPU is held, a day.")
    utilisation_pct = serializers.FloatField(help_text="Of the time for which GPUs are installed.")
    tasks_per_week = serializers.FloatField()
    notebook_wait_s_max = serializers.FloatField()


class StoryFiguresShape(StoryLimitShape):
    """Figures of one set of rules, over the measured weeks."""

    task_hours_mean = serializers.FloatField(help_text="From submission to end.")
    notebooks_without_a_card_per_week = serializers.FloatField()
    evictions_per_week = serializers.FloatField()


class StoryHourShape(serializers.Serializer[Any]):
    """Means over an hour."""

    hour = serializers.IntegerField(help_text="From Monday 0:00 by the scenario's clock.")
    held = serializers.FloatField(help_text="GPUs of which any part is held.")
    busy = serializers.FloatField(help_text="GPUs that compute, as if each were fully busy.")
    waiting = serializers.FloatField()


class StoryCurvesShape(serializers.Serializer[Any]):
    """The last week under both sets of rules."""

    before = StoryHourShape(many=True)
    after = StoryHourShape(many=True)


class StoryShape(serializers.Serializer[Any]):
    """A scenario under its two sets of rules: the same people and the same work."""

    before = StoryFiguresShape()
    after = StoryFiguresShape()
    limit = StoryLimitShape(help_text="Every GPU held all the time, no second lost.")
    gpus = serializers.IntegerField()
    people = serializers.IntegerField()
    weeks = serializers.IntegerField(help_text="Measured; others before them are not.")
    curves = StoryCurvesShape()


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
    group = TitledRef(allow_null=True, help_text="Whose work the findings are about; null is all.")
    created_at = serializers.DateTimeField()
    scenario = serializers.ChoiceField(
        StoryName.values, allow_blank=True, help_text="Empty: the platform's own past."
    )
    days = serializers.IntegerField(help_text="0 of a scenario.")
    change = ChangeShape()
    phase = serializers.ChoiceField(StudyPhase.values)
    failure = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class StudyDetailOutput(StudyOutput):
    """A study with its findings."""

    findings = FindingsShape(allow_null=True, source="past")
    story = StoryShape(allow_null=True, help_text="What was found about a scenario.")
