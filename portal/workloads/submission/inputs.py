"""Fields and bounds of submissions, shared by all kinds of work."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
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
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.times import MomentField
from portal.common.work_kinds import KINDS
from portal.datasets.references import DATASET_REFERENCE_MAX
from portal.inventory.cuts import SLICES_PER_CARD_MAX, TIME_LIMIT_S
from portal.inventory.gpu_model_field import GpuModelField
from portal.inventory.gpu_models import known_features
from portal.quotas.priorities import PRIORITIES
from portal.quotas.priority_field import PriorityField
from portal.workloads.models import Workload
from portal.workloads.request_columns import request_from_input
from portal.workloads.submission.admission import Submission
from portal.workloads.submission.env_inputs import EnvField
from portal.workloads.submission.file_inputs import InputsField
from portal.workloads.submission.secret_inputs import SecretUsesField
from portal.workloads.tags import TAG_PATTERN, TAGS_MAX
from wire.messages import PORTS_MAX, REPLICAS_MAX
from wire.mounts import DATASETS_MAX, VOLUMES_MAX
from wire.values import DEVICES_MAX, PORT_MAX
from wire.words import SilenceTerm

GPU_MILLI_MAX: Final = 999
"""Thousandths of a GPU's processors in a fraction."""
GPU_MEMORY_MIB_MAX: Final = 16 * 1024 * 1024
"""Memory of a fraction."""
MIG_PROFILE_MAX: Final = 32
"""Characters of the name of a MIG profile."""
GPU_MODELS_MAX: Final = 16
"""Models, or features, that one request may name."""
GPU_BANDWIDTH_GBPS_MAX: Final = 100_000
"""Memory bandwidth that a request may ask for, in gigabytes per second."""
PORT_NAME_MAX: Final = 40
"""Characters of the name of a port."""
CPU_MILLI: Final = (100, 1_000_000)
"""Least and most processors of one rank, in thousandths."""
MEMORY_MIB: Final = (64, 16 * 1024 * 1024)
"""Least and most memory of one rank."""


class ReferenceField(StrictCharField):
    """The id or the name of a group, pool or image."""

    def __init__(self, **options: Any) -> None:
        """Limit the length to that of any name or id."""
        super().__init__(max_length=63, **options)


class PortNamesField(serializers.DictField):
    """What people call what listens on a port: `{"6006": "TensorBoard"}`."""

    def __init__(self, **options: Any) -> None:
        """Take names as people choose them."""
        super().__init__(child=NameField(max_length=PORT_NAME_MAX), **options)

    @override
    def to_internal_value(self, data: Any) -> dict[str, str]:
        """Return the names; refuse what is no port."""
        names: dict[str, str] = super().to_internal_value(data)
        if len(names) > PORTS_MAX:
            raise ValidationError([FieldFault("too_large", max=PORTS_MAX)])
        if any(not re.fullmatch(r"[1-9]\d{0,4}", port) for port in names):
            raise ValidationError([FieldFault("not_a_port")])
        return names


def held_by_of(attrs: Mapping[str, Any]) -> str:
    """Return who holds work that is submitted so: its owner; empty without a hold."""
    return Workload.HeldBy.USER.value if attrs["held"] else ""


class ReplicaResourcesInput(InputSerializer):
    """What one replica gets, and in which pool."""

    pool = ReferenceField(required=False)
    gpus = StrictIntegerField(max_value=DEVICES_MAX, default=0)
    slices = StrictIntegerField(max_value=SLICES_PER_CARD_MAX, default=0)
    gpu_milli = StrictIntegerField(max_value=GPU_MILLI_MAX, default=0)
    """Guaranteed thousandths of one GPU's compute, instead of whole GPUs or slices."""
    gpu_memory_mib = StrictIntegerField(max_value=GPU_MEMORY_MIB_MAX, default=0)
    """Guaranteed memory of that fraction."""
    gpu_memory_ceiling_mib = StrictIntegerField(
        max_value=GPU_MEMORY_MIB_MAX, default=None, allow_null=True
    )
    """Memory up to which the fraction may burst; left out, as far as its pool allows."""
    mig_profile = StrictCharField(max_length=MIG_PROFILE_MAX, default="", allow_blank=True)
    """MIG profile, such as `1g.10gb`, in a pool that uses MIG."""
    gpu_models = serializers.ListField(
        child=GpuModelField(),
        max_length=GPU_MODELS_MAX,
        required=False,
    )
    """Models that are accepted, by the names of the catalogue or of their driver; none is any."""
    gpu_memory_min_mib = StrictIntegerField(max_value=GPU_MEMORY_MIB_MAX, default=0)
    """Least memory of each GPU, as its driver reports it."""
    gpu_features = serializers.ListField(
        child=OneOfField(choices=known_features()), max_length=GPU_MODELS_MAX, required=False
    )
    """What each GPU must be able to do; GPUs of unknown models do not count as able."""
    gpu_bandwidth_min_gbps = StrictIntegerField(max_value=GPU_BANDWIDTH_GBPS_MAX, default=0)
    """Least memory bandwidth of each GPU, in gigabytes per second."""
    cpu_milli = StrictIntegerField(min_value=CPU_MILLI[0], max_value=CPU_MILLI[1])
    memory_mib = StrictIntegerField(min_value=MEMORY_MIB[0], max_value=MEMORY_MIB[1])


class ResourcesInput(ReplicaResourcesInput):
    """What one replica gets, for which group and how long."""

    group = ReferenceField()
    time_limit_s = StrictIntegerField(min_value=TIME_LIMIT_S[0], required=False)


class DryRunInput(ResourcesInput):
    """A submission that is evaluated and not stored: of its resources only, or a whole one.

    With any further field it is a body of a submission of its `kind` (a job array has `array`), and
    is checked as that is.
    """

    takes_others = True

    kind = OneOfField(choices=list(KINDS))
    image = ReferenceField(required=False)
    replicas = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, default=1)
    priority = PriorityField(default="normal")
    preemptible = StrictBooleanField(required=False)
    not_before = MomentField(default=None, allow_null=True)
    ways_out = StrictBooleanField(default=False)
    """Also try changes after which it would start now; this takes a while in a long queue."""
    held = StrictBooleanField(default=False)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Add who would hold it."""
        return {**attrs, "held_by": held_by_of(attrs)}


@dataclass(frozen=True, slots=True)
class PlannedSubmission:
    """What the body of a submission means, before it is admitted."""

    submission: Submission
    tasks: int = 1


class _DryRunFlags(InputSerializer):
    """The fields of a dry run that no submission has."""

    kind = OneOfField(choices=list(KINDS))
    ways_out = StrictBooleanField(default=False)


def read_dry_run(body: Any) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """Return what is asked, and the body of the submission if it is a whole one."""
    terms = KINDS.get(str(body.get("kind")))
    is_prescribed = terms is not None and terms.is_prescribed
    if not is_prescribed and DryRunInput.shared_fields().keys() >= body.keys():
        asked = DryRunInput.parse_body(body)
        asked.setdefault("preemptible", KINDS[asked["kind"]].preemptible_by_default)
        return asked, None
    flags = _DryRunFlags().fields.keys()
    asked = _DryRunFlags.parse_body({name: body[name] for name in flags if name in body})
    return asked, {name: value for name, value in body.items() if name not in flags}


class CheckpointInput(InputSerializer):
    """An empty body: the checkpoint was saved now."""


class TagsInput(InputSerializer):
    """All tags of a workload."""

    tags = serializers.ListField(
        child=PatternField(TAG_PATTERN, fault="tag_not_allowed", max_length=32), max_length=TAGS_MAX
    )


class HandoverInput(InputSerializer):
    """To whom work goes."""

    to = StrictCharField(max_length=32, help_text="The exact user name of a member.")


class PlaceInput(InputSerializer):
    """Where waiting work goes among that of its group, pool and priority."""

    place = OneOfField(["first", "last", "usual"])


class SubmissionInput(ResourcesInput):
    """A submission of any kind."""

    name = NameField()
    image = ReferenceField()
    env = EnvField(required=False)
    """Environment variables: of a notebook its server, kernels, terminals and SSH sessions have them."""
    datasets = serializers.ListField(
        child=StrictCharField(max_length=DATASET_REFERENCE_MAX),
        max_length=DATASETS_MAX,
        required=False,
    )
    home = StrictBooleanField(default=True)
    """Whether it has the home of its owner, at `/home/berth`."""
    volumes = serializers.ListField(child=ReferenceField(), max_length=VOLUMES_MAX, required=False)
    """Volumes of its group and of those above, by name or id, at `/volumes/<name>`."""
    inputs = InputsField(required=False)
    """Earlier jobs of its group whose outputs it reads, at `/inputs/<name>`."""
    ports = serializers.ListField(
        child=StrictIntegerField(min_value=1, max_value=PORT_MAX),
        max_length=PORTS_MAX,
        required=False,
    )
    """Further ports that it serves, such as TensorBoard's: each has its own address, for the owner."""
    port_names = PortNamesField(required=False)
    """Names of these ports, for its page; names of other ports are left out."""
    silence = OneOfField(choices=[term.value for term in SilenceTerm], required=False)
    """What happens to it while its node is not heard; left out, what its pool says."""
    secrets = SecretUsesField(required=False)
    """Stored secrets that it gets at its start, by name."""
    template = IdField(required=False)
    """A template: what is left out here has its values, null has none, and what it locks is
    checked."""


class WorkloadChangeInput(InputSerializer):
    """What to change of submitted work; what is left out stays."""

    version = StrictIntegerField(required=False)
    """The version that the caller saw: if it is another one now, the answer is 409."""
    name = NameField(required=False)
    """May change in every state; programs see it as `BERTH_NAME` at the next start."""
    priority = PriorityField(required=False)
    priority_until = MomentField(required=False, allow_null=True)
    time_limit_s = StrictIntegerField(
        min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1], required=False
    )
    pool = ReferenceField(required=False)
    image = ReferenceField(required=False)
    gpus = StrictIntegerField(max_value=DEVICES_MAX, required=False)
    """Of `gpus`, `slices`, `gpu_milli` with `gpu_memory_mib`, and `mig_profile`, those given
    replace all others."""
    slices = StrictIntegerField(max_value=SLICES_PER_CARD_MAX, required=False)
    gpu_milli = StrictIntegerField(max_value=GPU_MILLI_MAX, required=False)
    gpu_memory_mib = StrictIntegerField(max_value=GPU_MEMORY_MIB_MAX, required=False)
    gpu_memory_ceiling_mib = StrictIntegerField(
        max_value=GPU_MEMORY_MIB_MAX, required=False, allow_null=True
    )
    mig_profile = StrictCharField(max_length=MIG_PROFILE_MAX, required=False, allow_blank=True)
    cpu_milli = StrictIntegerField(min_value=CPU_MILLI[0], max_value=CPU_MILLI[1], required=False)
    memory_mib = StrictIntegerField(
        min_value=MEMORY_MIB[0], max_value=MEMORY_MIB[1], required=False
    )

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require that a priority has not ended yet."""
        until = attrs.get("priority_until")
        if until is not None and until <= now():
            raise ValidationError({"priority_until": [FieldFault("in_the_past")]})
        return attrs


class JobChangeInput(WorkloadChangeInput):
    """What to change of a submitted job."""

    replicas = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, required=False)
    preemptible = StrictBooleanField(required=False)


def parse_change(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return validated changes with the priority as a number."""
    named = {"priority": PRIORITIES[asked["priority"]]} if "priority" in asked else {}
    return {**asked, **named}


_PARSED: Final = frozenset({"kind", "request", "priority", "spec"})
"""Fields of a submission that are not copied from the input."""
_COPIED: Final = tuple(item.name for item in fields(Submission) if item.name not in _PARSED)


def parse_submission(kind: str, asked: Mapping[str, Any], spec: Mapping[str, Any]) -> Submission:
    """Return the submission of validated input; `spec` is the program that it runs."""
    return Submission(
        kind=kind,
        request=request_from_input(asked),
        priority=PRIORITIES[asked.get("priority", "normal")],
        spec={**spec, **_extras(asked)},
        **{name: asked[name] for name in _COPIED if name in asked},
    )


def _extras(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables, home, files, ports with their names, secrets and the template, where requested."""
    found: dict[str, Any] = {
        name: _once(asked.get(name, [])) for name in ("datasets", "volumes", "ports")
    }
    found |= {name: asked.get(name) for name in ("env", "home", "inputs", "secrets", "template")}
    names = asked.get("port_names") or {}
    found["port_names"] = {
        port: name for port, name in names.items() if int(port) in found["ports"]
    }
    return {name: values for name, values in found.items() if values}


def _once(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order."""
    return sorted(set(values))
