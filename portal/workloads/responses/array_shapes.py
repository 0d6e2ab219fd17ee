"""Response shapes of job arrays and dependencies."""

from typing import Any

from rest_framework import serializers

from portal.common.rest.refs import TitledRef, UserRef
from portal.workloads.models import Dependency


class ArraySummary(serializers.Serializer[Any]):
    """A job array with how many of its tasks are in each state; states without any are left out."""

    id = serializers.UUIDField()
    indexes = serializers.CharField(help_text="As they were submitted: `0-99:2,200`.")
    size = serializers.IntegerField()
    running_max = serializers.IntegerField(allow_null=True)
    states = serializers.DictField(child=serializers.IntegerField())


class DependencyShape(serializers.Serializer[Any]):
    """A job, or an array, that a workload waits for; the name is null in another group."""

    type = serializers.ChoiceField(choices=Dependency.Type.values)
    id = serializers.UUIDField()
    is_array = serializers.BooleanField()
    name = serializers.CharField(allow_null=True)
    is_satisfied = serializers.BooleanField()


class JobArrayShape(ArraySummary):
    """A job array; its head is the task with the least index."""

    name = serializers.CharField()
    group = TitledRef()
    owner = UserRef()
    submitted_at = serializers.DateTimeField(source="created_at")
    head_id = serializers.UUIDField()
    holds = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many queued tasks are held, and by whom."
    )
    dependencies = DependencyShape(many=True)
