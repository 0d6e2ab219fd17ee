"""Submitted work as the body that would submit it again: for files, forms and templates."""

from typing import Any, Final
from uuid import UUID

from django.forms.models import model_to_dict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.manifests import API_VERSION, MEDIA_TYPE, ManifestRenderer
from portal.common.rest.rendering import OrjsonRenderer
from portal.common.rest.serializers import InputSerializer, OneOfField, QuerySerializer
from portal.common.rest.views import ApiRequest, ApiView
from portal.quotas.priorities import PRIORITY_NAMES
from portal.workloads import selectors
from portal.workloads.models import Workload
from portal.workloads.submission.template_inputs import ONCE

_FRACTION: Final = frozenset({"gpu_milli", "gpu_memory_mib", "gpu_memory_ceiling_mib"})
_UNITS: Final = (frozenset({"mig_profile"}), _FRACTION, frozenset({"slices"}))
"""The ways to request less than whole GPUs; the first that is set is the one that was submitted."""


class ManifestQuery(QuerySerializer):
    """In which form to write it; left out, as the request accepts it."""

    format = OneOfField(choices=["json", ManifestRenderer.format], required=False)


class ManifestView(ApiView):
    """One workload as a manifest; `?format=yaml` is a file to download."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    renderer_classes = [OrjsonRenderer, ManifestRenderer]
    kind: str
    manifest_kind: str
    body: type[InputSerializer]

    @extend_schema(
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, MEDIA_TYPE): OpenApiTypes.OBJECT,
        }
    )
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return the body that would submit the same again, with `apiVersion` and `kind`.

        Values of variables are in it for the owner only; for others they are empty.
        """
        ManifestQuery.parse(request)
        workload = selectors.workload_visible_to(request.actor, workload_id, self.kind)
        document = {
            "apiVersion": API_VERSION,
            "kind": self.manifest_kind,
            **self.build(workload, request.actor.user_id),
        }
        name = f'attachment; filename="{workload.pk}.yaml"'
        is_file = request.accepted_renderer.format == ManifestRenderer.format
        return Response(document, headers={"Content-Disposition": name} if is_file else None)

    def build(self, workload: Workload, reader_id: UUID | None) -> dict[str, Any]:
        """Return the body; a kind adds what is not stored with the workload."""
        return build_body(workload, self.body, reader_id)


def build_body(
    workload: Workload, shape: type[InputSerializer], reader_id: UUID | None
) -> dict[str, Any]:
    """Return the body of a submission; what has its default there is left out."""
    stored = _stored(workload, reader_id)
    absent = _other_units(workload)
    return {"name": workload.name} | {
        name: stored[name]
        for name, field in shape.shared_fields().items()
        if name in stored and name not in ONCE | absent and _is_needed(name, field, stored[name])
    }


def _stored(workload: Workload, reader_id: UUID | None) -> dict[str, Any]:
    """Return the fields of the row and of its spec under the names that submissions give them."""
    spec = dict(workload.spec)
    if reader_id != workload.owner_id:
        spec["env"] = dict.fromkeys(sorted(spec.get("env", ())), "")
    return {
        **model_to_dict(workload),
        **spec,
        "home": bool(spec.get("home")),
        "volumes": [item["name"] for item in spec.get("volumes", ())],
        "group": workload.group.name,
        "pool": workload.pool.name,
        "image": workload.image.name,
        "priority": PRIORITY_NAMES.get(workload.priority, "normal"),
    }


def _other_units(workload: Workload) -> frozenset[str]:
    """Return the fields of devices that admission has derived from the one that was submitted."""
    everything = frozenset({"gpus"}).union(*_UNITS)
    for unit in _UNITS:
        if any(getattr(workload, name) for name in unit - {"gpu_memory_ceiling_mib"}):
            return everything - unit
    return everything - {"gpus"}


def _is_needed(name: str, field: serializers.Field[Any, Any, Any, Any], value: Any) -> bool:
    """Return whether a field has to be written for the same submission."""
    # Without it, no GPU would read as a choice left open, which forms and rules fill in.
    if field.required or name == "gpus":
        return True
    default = field.default
    if default is serializers.empty:
        return value not in (None, "", [], {})
    return bool(value != (default() if callable(default) else default))
