"""The bodies by which services are created, changed and scaled, and keys are issued."""

from collections.abc import Mapping
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
    PatternField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.times import MomentField
from portal.datasets.references import DATASET_REFERENCE_MAX
from portal.serving.models import Service
from portal.serving.presets import HTTP, SERVICE_PRESETS
from portal.serving.services import TERMS
from portal.workloads.submission.env_inputs import EnvField
from portal.workloads.submission.inputs import ReferenceField, ReplicaResourcesInput
from portal.workloads.submission.program_inputs import CommandField
from portal.workloads.submission.secret_inputs import SecretUsesField
from wire.mounts import DATASETS_MAX, VOLUMES_MAX
from wire.values import PORT_MAX

SERVICE_NAME: Final = r"^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$"
SERVICE_NAME_MAX: Final = 48
"""Characters of the name of a service, which is a part of its address."""
REPLICAS_MAX: Final = 1000
"""Replicas of one service."""
TARGET_MS: Final = (10, 600_000)
"""Least and most time in which a service may promise an answer."""
RATE_MILLI_MAX: Final = 1_000_000_000
"""Requests in 1,000 seconds that a service may promise."""
HOLD_MAX: Final = 10_000
"""Requests that a service may let wait for a replica."""
HOLD_DEADLINE_S: Final = (1, 3600)
"""Least and most time that such a request may wait."""
DRAIN_S: Final = (0, 7200)
"""Least and most time that a replica may take for what it is answering when it leaves."""
START_DEADLINE_S: Final = (10, 21_600)
"""Least and most time that a replica may take to become ready."""
ZERO_AFTER_S: Final = (60, 604_800)
"""After how long without a request a service may go to no replica."""
PATH_MAX: Final = 200
"""Characters of the path of a probe."""
MODEL_MAX: Final = 500
"""Characters of what names a model."""
CALLS_MAX: Final = 1_000_000_000
"""Requests, or tokens, that a key may be limited to in a minute."""
_PATH: Final = r"^/[A-Za-z0-9._~/-]*$"


class RevisionInput(ReplicaResourcesInput):
    """What each replica of a service runs; what is left out has the preset's value."""

    preset = OneOfField(choices=list(SERVICE_PRESETS), default=HTTP.name)
    image = ReferenceField()
    model = StrictCharField(max_length=MODEL_MAX, allow_blank=True, default="")
    """Path or name of the model: `{model}` in the command."""
    command = CommandField(required=False)
    """Instead of the preset's; `{port}` is where it must listen, at 127.0.0.1, as is the variable `PORT`."""
    arguments = CommandField(required=False)
    """Further arguments behind the command."""
    env = EnvField(required=False)
    datasets = serializers.ListField(
        child=StrictCharField(max_length=DATASET_REFERENCE_MAX),
        max_length=DATASETS_MAX,
        required=False,
    )
    home = StrictBooleanField(default=False)
    volumes = serializers.ListField(child=ReferenceField(), max_length=VOLUMES_MAX, required=False)
    secrets = SecretUsesField(required=False)
    port = StrictIntegerField(min_value=1, max_value=PORT_MAX, default=None, allow_null=True)
    """Where the server listens by itself; left out, a free one is chosen for each replica."""
    readiness_path = PatternField(
        _PATH, fault="probe_path_malformed", max_length=PATH_MAX, required=False
    )
    """Answers 2xx once the model is loaded."""
    start_deadline_s = StrictIntegerField(
        min_value=START_DEADLINE_S[0], max_value=START_DEADLINE_S[1], required=False
    )
    """A replica that is not ready so long after its start has failed."""

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fill in what the preset knows; require what it does not."""
        preset = SERVICE_PRESETS[attrs["preset"]]
        if not attrs.get("command") and not preset.command:
            raise ValidationError({"command": [FieldFault("required")]})
        if not attrs.get("command") and preset.needs_model and not attrs["model"]:
            raise ValidationError({"model": [FieldFault("required")]})
        usual = {
            "readiness_path": preset.readiness_path,
            "start_deadline_s": preset.start_deadline_s,
        }
        return {**usual, **attrs}


class ServiceInput(RevisionInput):
    """A service: what it promises, and what its replicas run."""

    name = PatternField(SERVICE_NAME, fault="service_name_malformed", max_length=SERVICE_NAME_MAX)
    group = ReferenceField()
    quality = OneOfField(choices=Service.QualityClass.values)
    target_ms = StrictIntegerField(
        min_value=TARGET_MS[0], max_value=TARGET_MS[1], default=None, allow_null=True
    )
    """Of `latency`: within which 99 of 100 requests are answered."""
    is_first_token = StrictBooleanField(default=False)
    """Whether that is about the first token instead of the whole answer."""
    rate_milli = StrictIntegerField(max_value=RATE_MILLI_MAX, default=0)
    """Of `throughput`: requests wanted in 1,000 seconds; 0 is as many as come."""
    replicas_min = StrictIntegerField(max_value=REPLICAS_MAX, default=1)
    replicas_max = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, default=1)
    zero_after_s = StrictIntegerField(
        min_value=ZERO_AFTER_S[0], max_value=ZERO_AFTER_S[1], default=600
    )
    """With a least of 0: after so long without a request no replica is left."""
    hold_max = StrictIntegerField(max_value=HOLD_MAX, default=1000)
    """Requests that wait while no replica is ready; further ones are refused."""
    hold_deadline_s = StrictIntegerField(
        min_value=HOLD_DEADLINE_S[0], max_value=HOLD_DEADLINE_S[1], default=300
    )
    drain_s = StrictIntegerField(min_value=DRAIN_S[0], max_value=DRAIN_S[1], required=False)
    """How long a replica that leaves may take for what it is answering."""

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require the target of its quality, and no other, and a least that is not above the most."""
        is_latency = attrs["quality"] == Service.QualityClass.LATENCY
        if is_latency and attrs["target_ms"] is None:
            raise ValidationError({"target_ms": [FieldFault("required")]})
        if is_latency and attrs["rate_milli"]:
            raise ValidationError({"rate_milli": [FieldFault("target_of_other_quality")]})
        if not is_latency and (attrs["target_ms"] is not None or attrs["is_first_token"]):
            raise ValidationError({"target_ms": [FieldFault("target_of_other_quality")]})
        if attrs["replicas_min"] > attrs["replicas_max"]:
            raise ValidationError({"replicas_max": [FieldFault("replicas_reversed")]})
        found = super().validate(attrs)
        return {"drain_s": SERVICE_PRESETS[found["preset"]].drain_s, **found}


class ServiceChangeInput(ServiceInput):
    """What to change of a service; what is left out stays. What replicas run becomes a new revision."""

    version = StrictIntegerField(required=False)
    """The version that the caller saw: if it is another one now, the answer is 409."""
    canary_pct = StrictIntegerField(min_value=1, max_value=99, required=False)
    """The new revision gets this part of the requests only, until it is taken or dropped."""

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Leave every field out that may not change, and require none."""
        fields = super().get_fields()
        for name in ("name", "group"):
            del fields[name]
        for field in fields.values():
            field.required, field.default = False, serializers.empty
        return fields

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Leave the fields as they are: the whole service is validated with them."""
        return attrs


class ScaleInput(InputSerializer):
    """How many replicas; what is left out stays."""

    replicas_min = StrictIntegerField(max_value=REPLICAS_MAX, required=False)
    replicas_max = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, required=False)
    replicas = StrictIntegerField(max_value=REPLICAS_MAX, required=False)
    """How many now, from the least to the most."""


class RollBackInput(InputSerializer):
    """To which revision; left out, the last that had proved itself."""

    revision = StrictIntegerField(min_value=1, required=False)


class CanaryInput(InputSerializer):
    """Which revision gets which part of the requests."""

    revision = StrictIntegerField(min_value=1)
    percent = StrictIntegerField(min_value=1, max_value=99)


class CanaryEndQuery(QuerySerializer):
    """What follows the canary."""

    paging = frozenset()

    taken = serializers.BooleanField(
        default=False, help_text="Serve with the canary alone, instead of without it."
    )


class ServiceKeyInput(InputSerializer):
    """A key of a service; null is no limit."""

    name = NameField()
    requests_per_min = StrictIntegerField(
        min_value=1, max_value=CALLS_MAX, default=None, allow_null=True
    )
    tokens_per_min = StrictIntegerField(
        min_value=1, max_value=CALLS_MAX, default=None, allow_null=True
    )
    expires_at = MomentField(default=None, allow_null=True)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require that it does not expire before it was issued."""
        if attrs["expires_at"] is not None and attrs["expires_at"] <= now():
            raise ValidationError({"expires_at": [FieldFault("in_the_past")]})
        return attrs


class ReplicaQuery(QuerySerializer):
    """Filters of the list of a service's replicas."""

    ended = serializers.BooleanField(
        required=False, help_text="Those that have ended, or those that have not; both if left out."
    )


class ServiceQuery(QuerySerializer):
    """Filters of the list of services."""

    group = IdField(required=False)
    mine = serializers.BooleanField(required=False)
    state = OneOfField(
        choices=[Service.WantedState.RUNNING.value, Service.WantedState.STOPPED.value],
        required=False,
    )
    search = serializers.CharField(max_length=63, required=False)


def split_service(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the terms of a validated service, and the spec of its revision."""
    terms = {name: given[name] for name in ("name", *TERMS) if name in given}
    revision = RevisionInput.shared_fields()
    return terms, {name: given[name] for name in revision if name in given}


def merge_change(service: Service, spec: Mapping[str, Any], change: Mapping[str, Any]) -> Any:
    """Return the whole of a service with a change, validated like a new one.

    A change of the preset takes the values that the preset knows, where it names no others.
    """
    before = {"name": service.name, "group": str(service.group_id)}
    before |= {name: getattr(service, name) for name in TERMS}
    before |= dict(spec)
    if change.get("preset", before["preset"]) != before["preset"]:
        for name in ("readiness_path", "start_deadline_s", "command"):
            before.pop(name, None)
    if change.get("quality", before["quality"]) != before["quality"]:
        for name in ("target_ms", "is_first_token", "rate_milli"):
            del before[name]
    if not _DEVICES.isdisjoint(change):
        before = {name: value for name, value in before.items() if name not in _DEVICES}
    fields = {name: value for name, value in change.items() if name not in _OF_CHANGE}
    return ServiceInput.parse_body({**before, **fields})


_OF_CHANGE: Final = frozenset({"version", "canary_pct"})
_DEVICES: Final = frozenset(
    {"gpus", "slices", "gpu_milli", "gpu_memory_mib", "gpu_memory_ceiling_mib", "mig_profile"}
)
"""One of these given replaces them all."""
