"""Endpoints of training jobs and their output files."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.jobs import outputs, services
from portal.jobs.api.inputs import JobInput, build_spec
from portal.workloads import selectors
from portal.workloads.output_folders import outputs_folder
from portal.workloads.responses import http
from portal.workloads.responses.list_queries import OneKindQuery
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadSummary
from portal.workloads.submission.inputs import JobChangeInput, parse_submission
from portal.workloads.submission.template_inputs import read_submission


class OutputShape(serializers.Serializer[Any]):
    """An output file of a job."""

    path = serializers.CharField()
    size = serializers.IntegerField()
    modified_at = serializers.DateTimeField()


class JobListView(http.SubmissionView):
    """All jobs, and new ones."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    manifest_kind = "Job"

    @extend_schema(parameters=[OneKindQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the jobs that the caller may see, newest first."""
        return http.respond_list(request, {**OneKindQuery.parse(request), "kind": services.KIND})

    @extend_schema(request=JobInput, responses={202: WorkloadDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Submit a job."""
        given = read_submission(JobInput, request.data, actor=request.actor, kind=services.KIND)
        submission = parse_submission(services.KIND, given, build_spec(given))
        job = services.submit_job(actor=request.actor, submission=submission)
        return http.respond_submitted(job, has_dependencies=bool(given["dependencies"]))


class JobDetailView(ApiView):
    """One job."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "PATCH": Action.WORKLOAD_SUBMIT}

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one job in full."""
        return http.respond_detail(request, workload_id, services.KIND)

    @extend_schema(request=JobChangeInput, responses=WorkloadDetail)
    @idempotent
    def patch(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Change a job that waits, or the time limit of one that runs."""
        return http.respond_changed(
            request, workload_id, services.KIND, JobChangeInput.parse(request)
        )


class JobCancelView(http.WorkloadActionView):
    """Cancel a job."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(services.cancel_job)


class JobOutputListView(ApiView):
    """The output files of a job."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(responses=OutputShape(many=True))
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """List the output files."""
        found = outputs.list_outputs(_folder(request, workload_id))
        return Response(OutputShape(found, many=True).data)


class JobOutputView(ApiView):
    """One output file of a job."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: ApiRequest, workload_id: UUID, path: str) -> FileResponse:
        """Download one output file, as an attachment that a browser does not render."""
        file, size = outputs.open_output(_folder(request, workload_id), path)
        return FileResponse(
            file,
            as_attachment=True,
            filename=path.rsplit("/", 1)[-1],
            content_type="application/octet-stream",
            headers={"Content-Length": str(size), "Content-Security-Policy": "sandbox"},
        )


def _folder(request: ApiRequest, workload_id: UUID) -> Path:
    workload = selectors.workload_visible_to(request.actor, workload_id, services.KIND)
    return outputs_folder(get_site_config().storage_dir, workload.pk)
