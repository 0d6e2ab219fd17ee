"""Endpoints of the templates and manifests of notebooks."""

from typing import Any
from uuid import UUID

from typing_extensions import override

from portal.notebooks import services
from portal.notebooks.api.inputs import EnvironmentInput
from portal.notebooks.schedules import find_schedule_for_system
from portal.workloads.models import Workload
from portal.workloads.responses.manifests import ManifestView
from portal.workloads.responses.templates import TemplateDetailView, TemplateListView


class EnvironmentTemplateListView(TemplateListView):
    """Templates of notebooks: those of the caller, of its groups and of the platform."""

    kind = services.KIND
    body = EnvironmentInput


class EnvironmentTemplateDetailView(TemplateDetailView):
    """One template of notebooks."""

    kind = services.KIND
    body = EnvironmentInput


class EnvironmentManifestView(ManifestView):
    """One notebook as a manifest; `?format=yaml` is a file to download."""

    kind = services.KIND
    manifest_kind = "Environment"
    body = EnvironmentInput

    @override
    def build(self, workload: Workload, reader_id: UUID | None) -> dict[str, Any]:
        """Return the body with the schedule, if it has one."""
        body = super().build(workload, reader_id)
        row = find_schedule_for_system(workload.pk)
        if row is None:
            return body
        times = {"start_minute": row.start_minute, "stop_minute": row.stop_minute}
        return {**body, "schedule": {"days": row.days, **times}}
