"""The files that a submission names: volumes, and outputs of earlier jobs; resolved and checked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.actor import Actor
from portal.common.errors import InvalidError
from portal.common.rest.serializers import FieldFault, IdField, InputSerializer, PatternField
from portal.common.work_kinds import kinds_where
from portal.volumes.mounts import find_named_volumes
from portal.workloads.models import Workload
from wire.mounts import INPUTS_MAX

MOUNT_NAME: Final = r"^[a-z0-9][a-z0-9._-]{0,62}$"
MOUNT_NAME_MAX: Final = 63
"""Characters of the name of a folder in a container."""


class JobOutputsInput(InputSerializer):
    """The outputs of an earlier job of the same group, read-only at `/inputs/<name>`."""

    job = IdField()
    name = PatternField(MOUNT_NAME, fault="path_name_not_allowed", max_length=MOUNT_NAME_MAX)


class InputsField(serializers.ListField):
    """The earlier jobs whose outputs a submission reads; no two have the same name."""

    def __init__(self, **options: Any) -> None:
        """Bound their number."""
        super().__init__(child=JobOutputsInput(), max_length=INPUTS_MAX, **options)

    @override
    def to_internal_value(self, data: Any) -> list[dict[str, str]]:
        """Return the inputs as they are stored."""
        found = [
            {"job": str(item["job"]), "name": item["name"]}
            for item in super().to_internal_value(data)
        ]
        for name, count in Counter(item["name"] for item in found).items():
            if count > 1:
                raise ValidationError([FieldFault("mount_name_twice", name=name)])
        return found


def resolve_files(actor: Actor, group_id: UUID, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the spec with its volumes by id; names mean volumes of the group and of those above it.

    Without volumes and inputs nothing is asked.

    Raises:
        InvalidError: work of this actor in this group may not read one of them.
    """
    names, inputs = spec.get("volumes", ()), spec.get("inputs", ())
    _require_own_jobs(group_id, inputs)
    if not names or actor.user_id is None:
        return spec
    found = find_named_volumes(names, user_id=actor.user_id, roles=actor.roles, group_id=group_id)
    for name in names:
        if name not in found:
            raise InvalidError("unknown_volume", pointer="/volumes", volume=name[:63])
    volumes = {row.pk: row for row in found.values()}
    for name, count in Counter(row.name for row in volumes.values()).items():
        if count > 1:
            raise InvalidError("volume_named_twice", pointer="/volumes", volume=name)
    named = [{"id": str(row.pk), "name": row.name} for row in volumes.values()]
    return {**spec, "volumes": sorted(named, key=lambda item: item["name"])}


def _require_own_jobs(group_id: UUID, inputs: Sequence[Mapping[str, str]]) -> None:
    """Refuse outputs of other groups' jobs; they do not exist for this one."""
    wanted = {item["job"] for item in inputs}
    if not wanted:
        return
    kinds = kinds_where(lambda terms: terms.runs_to_end)
    jobs = Workload.objects.filter(pk__in=wanted, group=group_id, kind__in=kinds)
    known = set(map(str, jobs.values_list("pk", flat=True)))
    for job in sorted(wanted - known):
        raise InvalidError("unknown_input", pointer="/inputs", job=job)
