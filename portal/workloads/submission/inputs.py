"""Fields and bounds of submissions, shared by all kinds of work."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import (
    FieldFault,
    InputSerializer,
    NameField,
    OneOfField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.inventory.cuts import SLICES_PER_CARD_MAX, TIME_LIMIT_S
from portal.workloads.models import Workload
from portal.workloads.request_columns import REQUEST_COLUMNS
from portal.workloads.submission.admission import PRIORITIES, Submission
from scheduler.core.model.entities import Request
from wire.messages import DATASETS_MAX, PORTS_MAX, REPLICAS_MAX
from wire.values import DEVICES_MAX, PORT_MAX
from wire.words import SilenceTerm

GPU_MILLI_MAX: Final = 999
"""Thousandths of a GPU's processors in a fraction."""
GPU_MEMORY_MIB_MAX: Final = 16 * 1024 * 1024
"""Memory of a fraction."""
MIG_PROFILE_MAX: Final = 32
"""Characters of the name of a MIG profile."""
CPU_MILLI: Final = (100, 1_000_000)
"""Least and most processors of one rank, in thousandths."""
MEMORY_MIB: Final = (64, 16 * 1024 * 1024)
"""Least and most memory of one rank."""


class ReferenceField(StrictCharField):
    """The id or the name of a group, pool or image."""

    def __init__(self, **options: Any) -> None:
        """Limit the length to that of any name or id."""
        super().__init__(max_length=63, **options)


class PriorityField(OneOfField):
    """A priority by name: `low`, `normal` or `high`."""

    def __init__(self, **options: Any) -> None:
        """Offer the names in `PRIORITIES`."""
        super().__init__(choices=sorted(PRIORITIES), **options)

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the name; refuse anything else, also unhashable input."""
        if not isinstance(data, str):
            raise ValidationError([FieldFault("not_a_string")])
        return super().to_internal_value(data)


class ResourcesInput(InputSerializer):
    """What one replica gets, and how many replicas there are."""

    group = ReferenceField()
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
    cpu_milli = StrictIntegerField(min_value=CPU_MILLI[0], max_value=CPU_MILLI[1])
    memory_mib = StrictIntegerField(min_value=MEMORY_MIB[0], max_value=MEMORY_MIB[1])
    time_limit_s = StrictIntegerField(min_value=TIME_LIMIT_S[0], required=False)


class DryRunInput(ResourcesInput):
    """A submission that is evaluated and not stored."""

    kind = OneOfField(choices=Workload.Kind.values)
    image = ReferenceField(required=False)
    replicas = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, default=1)
    priority = PriorityField(default="normal")
    preemptible = StrictBooleanField(required=False)


class CheckpointInput(InputSerializer):
    """An empty body: the checkpoint was saved now."""


class SubmissionInput(ResourcesInput):
    """A submission of any kind."""

    name = NameField()
    image = ReferenceField()
    datasets = serializers.ListField(
        child=ReferenceField(), max_length=DATASETS_MAX, required=False
    )
    ports = serializers.ListField(
        child=StrictIntegerField(min_value=1, max_value=PORT_MAX),
        max_length=PORTS_MAX,
        required=False,
    )
    """Further ports that it serves, such as TensorBoard's: each has its own address, for the owner."""
    silence = OneOfField(choices=[term.value for term in SilenceTerm], required=False)
    """What happens to it while its node is not heard; left out, what its pool says."""


_PARSED: Final = frozenset({"kind", "request", "priority", "spec"})
"""Fields of a submission that are not copied from the input."""
_COPIED: Final = tuple(item.name for item in fields(Submission) if item.name not in _PARSED)


def parse_submission(kind: str, asked: Mapping[str, Any], spec: Mapping[str, Any]) -> Submission:
    """Return the submission of validated input; `spec` is the program that it runs."""
    return Submission(
        kind=kind,
        request=Request(**{name: asked[name] for name in REQUEST_COLUMNS if name in asked}),
        priority=PRIORITIES[asked.get("priority", "normal")],
        spec={**spec, **_extras(asked)},
        **{name: asked[name] for name in _COPIED if name in asked},
    )


def _extras(asked: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return data sets and ports, where any were requested."""
    found = {name: _once(asked.get(name, [])) for name in ("datasets", "ports")}
    return {name: values for name, values in found.items() if values}


def _once(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order."""
    return sorted(set(values))
