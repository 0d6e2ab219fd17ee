"""Endpoints of the templates and manifests of jobs."""

from portal.jobs import services
from portal.jobs.api.inputs import JobInput
from portal.workloads.responses.manifests import ManifestView
from portal.workloads.responses.templates import TemplateDetailView, TemplateListView


class JobTemplateListView(TemplateListView):
    """Templates of jobs: those of the caller, of its groups and of the platform."""

    kind = services.KIND
    body = JobInput


class JobTemplateDetailView(TemplateDetailView):
    """One template of jobs."""

    kind = services.KIND
    body = JobInput


class JobManifestView(ManifestView):
    """One job as a manifest; `?format=yaml` is a file to download."""

    kind = services.KIND
    manifest_kind = "Job"
    body = JobInput
