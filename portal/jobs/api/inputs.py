"""The body of a job submission."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.clock import now
from portal.common.rest.serializers import (
    FieldFault,
    IdField,
    InputSerializer,
    NameField,
    OneOfField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.times import MomentField
from portal.quotas.priority_field import PriorityField
from portal.workloads.dependencies import DEPENDENCIES_MAX, DependencyRequest
from portal.workloads.models import Dependency
from portal.workloads.retry import PAUSE_S_MAX, RestartRule
from portal.workloads.submission.array_indexes import (
    ARRAY_TASKS_MAX,
    ARRAY_TEXT_MAX,
    ArrayIndexes,
    parse_array_indexes,
)
from portal.workloads.submission.inputs import SubmissionInput, held_by_of
from portal.workloads.submission.program_inputs import CommandField, ScriptField
from portal.workloads.submission.scripts import runnable_script
from wire.messages import REPLICAS_MAX

RETRIES_MAX = 10
"""How often a job may start again after its own failures."""
EXIT_CODE_MAX = 255
"""Highest exit code."""
EXIT_CODES_MAX = 32
"""Exit codes that a rule of a job may name."""
BEGIN_MAX: Final = timedelta(days=366)
"""How far ahead a job may begin."""
LAUNCHERS = ["plain", "torchrun", "accelerate", "deepspeed", "mpi", "ray", "dask"]
NOTICE_SIGNALS = ["none", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"]
LAUNCHER_SIGNALS = ("none", "SIGTERM")
"""The only signals that launchers pass on to their ranks."""


class ExitCodesField(serializers.ListField):
    """Exit codes of a program that failed."""

    def __init__(self, **options: Any) -> None:
        """Bound the number of codes."""
        child = StrictIntegerField(min_value=1, max_value=EXIT_CODE_MAX)
        super().__init__(child=child, max_length=EXIT_CODES_MAX, **options)


class RestartInput(InputSerializer):
    """When a job is restarted automatically; what is left out has the product's default."""

    rule = OneOfField(choices=[rule.value for rule in RestartRule], required=False)
    pause_s = StrictIntegerField(max_value=PAUSE_S_MAX, required=False)
    final_codes = ExitCodesField(required=False)
    free_codes = ExitCodesField(required=False)
    after_out_of_memory = StrictBooleanField(required=False)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require that no code is in both lists."""
        both = set(attrs.get("final_codes", ())) & set(attrs.get("free_codes", ()))
        if both:
            raise ValidationError({"free_codes": [FieldFault("code_twice", exit_code=min(both))]})
        return attrs


class DependencyInput(InputSerializer):
    """A job or an array that must have started, succeeded or ended before."""

    type = OneOfField(choices=Dependency.Type.values)
    id = IdField()


class JobInput(SubmissionInput):
    """A training job: a command or a script, on one or many ranks."""

    command = CommandField(required=False)
    script = ScriptField(required=False)
    replicas = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, default=1)
    retries_max = StrictIntegerField(max_value=RETRIES_MAX, default=0)
    priority = PriorityField(default="normal")
    priority_until = MomentField(default=None, allow_null=True)
    restart = RestartInput(required=False)
    launcher = OneOfField(choices=LAUNCHERS, default="plain")
    notice_signal = OneOfField(choices=NOTICE_SIGNALS, default="SIGTERM")
    preemptible = StrictBooleanField(required=False)
    held = StrictBooleanField(default=False)
    """Waits until it is released."""
    not_before = MomentField(default=None, allow_null=True)
    """Starts no earlier."""
    dependencies = serializers.ListField(
        child=DependencyInput(), max_length=DEPENDENCIES_MAX, default=list
    )

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require exactly one of command and script, and a priority that has not ended yet."""
        if bool(attrs.get("command")) == bool(runnable_script(attrs.get("script", "")).strip()):
            raise ValidationError({"command": [FieldFault("command_or_script")]})
        until = attrs.get("priority_until")
        if until is not None and until <= now():
            raise ValidationError({"priority_until": [FieldFault("in_the_past")]})
        rule = attrs.get("restart", {}).get("rule")
        if attrs["retries_max"] and rule not in (None, RestartRule.ON_FAILURE):
            raise ValidationError({"retries_max": [FieldFault("retries_without_rule")]})
        is_once = rule == RestartRule.NEVER
        if is_once and attrs.get("preemptible"):
            raise ValidationError({"preemptible": [FieldFault("never_and_preemptible")]})
        if attrs["launcher"] != "plain" and attrs["notice_signal"] not in LAUNCHER_SIGNALS:
            raise ValidationError({"notice_signal": [FieldFault("signal_ends_launcher")]})
        begins_at = attrs["not_before"]
        if begins_at is not None and begins_at > now() + BEGIN_MAX:
            raise ValidationError({"not_before": [FieldFault("too_far", days=BEGIN_MAX.days)]})
        asked = [DependencyRequest(item["type"], item["id"]) for item in attrs["dependencies"]]
        return {
            "preemptible": not is_once,
            **attrs,
            "dependencies": asked,
            "held_by": held_by_of(attrs),
        }


class JobArrayInput(JobInput):
    """A job array: a job for each index."""

    array = StrictCharField(max_length=ARRAY_TEXT_MAX)
    """The indexes, as Slurm writes them: `0-9999%50`, `1,3,5-7`, `0-15:4`."""

    def validate_array(self, text: str) -> ArrayIndexes:
        """Return the indexes, and how many tasks may run at once."""
        return parse_array_indexes(text)


class JobArrayChangeInput(InputSerializer):
    """What to change of a submitted job array; what is left out stays."""

    name = NameField(required=False)
    running_max = StrictIntegerField(
        min_value=1, max_value=ARRAY_TASKS_MAX, required=False, allow_null=True
    )
    """How many tasks may run at once; null is as many as quotas and nodes allow. What runs goes on."""
    priority = PriorityField(required=False)
    """Of the tasks that wait."""
    priority_until = MomentField(required=False, allow_null=True)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require that an end of the priority comes with one, and has not passed."""
        until = attrs.get("priority_until")
        if until is not None and "priority" not in attrs:
            raise ValidationError({"priority": [FieldFault("required")]})
        if until is not None and until <= now():
            raise ValidationError({"priority_until": [FieldFault("in_the_past")]})
        return attrs


def build_spec(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of a job: what it runs."""
    return {
        "command": given.get("command", []),
        "script": given.get("script", ""),
        "launcher": given["launcher"],
        "notice_signal": given["notice_signal"],
    }
