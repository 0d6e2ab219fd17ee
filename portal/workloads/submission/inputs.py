"""Fields and bounds that every door to submissions shares, whatever kind of work it is for."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.serializers import (
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
from portal.workloads.submission.admission import PRIORITIES, Submission
from scheduler.core.model.entities import Request
from wire.messages import DATASETS_MAX, PORTS_MAX, REPLICAS_MAX
from wire.values import DEVICES_MAX, PORT_MAX

GPU_MILLI_MAX: Final = 999
"""Thousandths of a GPU's processors in a share."""
GPU_MEMORY_MIB_MAX: Final = 16 * 1024 * 1024
"""Memory of a share."""
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
    """A priority by its word."""

    def __init__(self, **options: Any) -> None:
        """Offer the known words."""
        super().__init__(choices=sorted(PRIORITIES), **options)

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return the word, or the fault; unhashable input is a fault too."""
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
    """Guaranteed thousandths of one card's processors, instead of cards or slices."""
    gpu_memory_mib = StrictIntegerField(max_value=GPU_MEMORY_MIB_MAX, default=0)
    """Guaranteed memory of that share."""
    gpu_memory_ceiling_mib = StrictIntegerField(
        max_value=GPU_MEMORY_MIB_MAX, default=None, allow_null=True
    )
    """What the share may grow to where its pool lets it; left out, as far as the pool allows."""
    mig_profile = StrictCharField(max_length=MIG_PROFILE_MAX, default="", allow_blank=True)
    """Partition in hardware, such as `1g.10gb`, of a pool whose cards are cut so."""
    cpu_milli = StrictIntegerField(min_value=CPU_MILLI[0], max_value=CPU_MILLI[1])
    memory_mib = StrictIntegerField(min_value=MEMORY_MIB[0], max_value=MEMORY_MIB[1])
    time_limit_s = StrictIntegerField(min_value=TIME_LIMIT_S[0], required=False)


class DryRunInput(ResourcesInput):
    """A submission that is only asked about."""

    kind = OneOfField(choices=Workload.Kind.values)
    image = ReferenceField(required=False)
    replicas = StrictIntegerField(min_value=1, max_value=REPLICAS_MAX, default=1)
    priority = PriorityField(default="normal")
    preemptible = StrictBooleanField(required=False)


class CheckpointInput(InputSerializer):
    """That it is saved is all there is to say."""


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
    """What else it serves, such as TensorBoard: shown under its own address, to its owner only."""


def parse_request(asked: Mapping[str, Any]) -> Request:
    """Return the resources of validated input."""
    return Request(
        replicas=asked.get("replicas", 1),
        gpus=asked["gpus"],
        slices=asked["slices"],
        gpu_milli=asked["gpu_milli"],
        gpu_memory_mib=asked["gpu_memory_mib"],
        mig_profile=asked["mig_profile"],
        cpu_milli=asked["cpu_milli"],
        memory_mib=asked["memory_mib"],
    )


def parse_submission(kind: str, asked: Mapping[str, Any], spec: Mapping[str, Any]) -> Submission:
    """Return the submission of validated input."""
    return Submission(
        kind=kind,
        name=asked["name"],
        group=asked["group"],
        image=asked["image"],
        request=parse_request(asked),
        gpu_memory_ceiling_mib=asked.get("gpu_memory_ceiling_mib"),
        pool=asked.get("pool", ""),
        priority=PRIORITIES[asked.get("priority", "normal")],
        priority_until=asked.get("priority_until"),
        preemptible=asked.get("preemptible", False),
        time_limit_s=asked.get("time_limit_s"),
        retries_max=asked.get("retries_max", 0),
        restart=asked.get("restart", {}),
        spec={**spec, **_extras(asked)},
    )


def _extras(asked: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return what was asked for beside the program, where anything was."""
    found = {name: _once(asked.get(name, [])) for name in ("datasets", "ports")}
    return {name: values for name, values in found.items() if values}


def _once(values: Iterable[Any]) -> list[Any]:
    """Return each value once, in order."""
    return sorted(set(values))
