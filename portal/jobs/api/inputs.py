"""The body of a job submission."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.clock import now
from portal.common.serializers import (
    FieldFault,
    InputSerializer,
    OneOfField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.jobs import specs
from portal.workloads.retry import PAUSE_S_MAX, RestartRule
from portal.workloads.submission.inputs import PriorityField, SubmissionInput
from wire.messages import REPLICAS_MAX

RETRIES_MAX = 10
"""How often a job may start again after its own failures."""
EXIT_CODE_MAX = 255
"""Highest exit code."""
EXIT_CODES_MAX = 32
"""Exit codes that a rule of a job may name."""
LAUNCHERS = ["plain", "torchrun", "mpi"]
NOTICE_SIGNALS = ["none", "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"]
LAUNCHER_SIGNALS = ("none", "SIGTERM")
"""A launcher passes on no other signal, and most of them end it."""


class ScriptField(StrictCharField):
    """Text of a program, kept as it is."""

    def __init__(self, **options: Any) -> None:
        """Keep leading and trailing blanks: they may matter."""
        super().__init__(trim_whitespace=False, allow_blank=True, **options)

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the text unless its bytes are too many."""
        text = super().to_internal_value(data)
        if len(text.encode()) > specs.SCRIPT_BYTES_MAX:
            raise ValidationError([FieldFault("too_large", max=specs.SCRIPT_BYTES_MAX)])
        return text


class CommandField(serializers.ListField):
    """Arguments in exec form: no shell reads them."""

    def __init__(self, **options: Any) -> None:
        """Bound the number and length of the arguments."""
        item = StrictCharField(
            max_length=specs.COMMAND_ITEM_MAX, allow_blank=True, trim_whitespace=False
        )
        super().__init__(child=item, max_length=specs.COMMAND_ITEMS_MAX, **options)

    @override
    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the arguments unless their bytes are too many."""
        items = super().to_internal_value(data)
        if sum(len(item.encode()) for item in items) > specs.COMMAND_BYTES_MAX:
            raise ValidationError([FieldFault("too_large", max=specs.COMMAND_BYTES_MAX)])
        return items


class EnvField(serializers.DictField):
    """Variables of the work's environment."""

    def __init__(self, **options: Any) -> None:
        """Take text only."""
        value = StrictCharField(
            max_length=specs.ENV_BYTES_MAX, allow_blank=True, trim_whitespace=False
        )
        super().__init__(child=value, **options)

    @override
    def to_internal_value(self, data: Any) -> dict[str, str]:
        """Return the variables, or why they cannot be set."""
        env: dict[str, str] = super().to_internal_value(data)
        if len(env) > specs.ENV_ENTRIES_MAX:
            raise ValidationError([FieldFault("too_large", max=specs.ENV_ENTRIES_MAX)])
        if specs.size_of(env) > specs.ENV_BYTES_MAX:
            raise ValidationError([FieldFault("too_large", max=specs.ENV_BYTES_MAX)])
        if names := specs.malformed_names(env):
            raise ValidationError([FieldFault("env_name_malformed", names=names[:10])])
        if names := specs.reserved_names(env):
            raise ValidationError([FieldFault("env_name_reserved", names=names[:10])])
        return env


class ExitCodesField(serializers.ListField):
    """Exit codes of a program that did not end well."""

    def __init__(self, **options: Any) -> None:
        """Bound the number of codes."""
        child = StrictIntegerField(min_value=1, max_value=EXIT_CODE_MAX)
        super().__init__(child=child, max_length=EXIT_CODES_MAX, **options)


class RestartInput(InputSerializer):
    """When a job starts again by itself. What is left out is the product's default."""

    rule = OneOfField(choices=[rule.value for rule in RestartRule], required=False)
    pause_s = StrictIntegerField(max_value=PAUSE_S_MAX, required=False)
    final_codes = ExitCodesField(required=False)
    free_codes = ExitCodesField(required=False)
    after_out_of_memory = StrictBooleanField(required=False)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Refuse a code that means two things."""
        both = set(attrs.get("final_codes", ())) & set(attrs.get("free_codes", ()))
        if both:
            raise ValidationError({"free_codes": [FieldFault("code_twice", exit_code=min(both))]})
        return attrs


class JobInput(SubmissionInput):
    """A training job: a command or a script, on one or many ranks."""

    command = CommandField(required=False)
    script = ScriptField(required=False)
    env = EnvField(required=False)
    replicas = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, default=1)
    retries_max = StrictIntegerField(max_value=RETRIES_MAX, default=0)
    priority = PriorityField(default="normal")
    priority_until = serializers.DateTimeField(default=None, allow_null=True)
    restart = RestartInput(required=False)
    launcher = OneOfField(choices=LAUNCHERS, default="plain")
    notice_signal = OneOfField(choices=NOTICE_SIGNALS, default="SIGTERM")
    preemptible = StrictBooleanField(required=False)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require exactly one of command and script, and a priority that has not ended yet."""
        if bool(attrs.get("command")) == bool(attrs.get("script", "").strip()):
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
        return {"preemptible": not is_once, **attrs}


def spec_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the job runs."""
    return {
        "command": asked.get("command", []),
        "script": asked.get("script", ""),
        "env": asked.get("env", {}),
        "launcher": asked["launcher"],
        "notice_signal": asked["notice_signal"],
    }
