"""Endpoints of notebooks."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.views import ApiRequest, ApiView
from portal.notebooks import services
from portal.notebooks.api.inputs import EnvironmentInput
from portal.notebooks.api.schedules import read_times
from portal.workloads.responses import http
from portal.workloads.responses.list_queries import OneKindQuery
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadSummary
from portal.workloads.submission.inputs import WorkloadChangeInput, parse_submission
from portal.workloads.submission.template_inputs import read_submission


class EnvironmentListView(http.SubmissionView):
    """All notebooks, and new ones."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    manifest_kinds = {"Environment": ""}

    @extend_schema(parameters=[OneKindQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the notebooks that the caller may see, newest first."""
        return http.respond_list(request, {**OneKindQuery.parse(request), "kind": services.KIND})

    @extend_schema(request=EnvironmentInput, responses={202: WorkloadDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Create a notebook."""
        given = read_submission(
            EnvironmentInput, request.data, actor=request.actor, kind=services.KIND
        )
        times = given.get("schedule")
        return http.respond_submitted(
            services.create_notebook(
                actor=request.actor,
                submission=parse_submission(services.KIND, given, {}),
                times=read_times(times) if times else None,
            )
        )


class EnvironmentDetailView(ApiView):
    """One notebook."""

    required_actions = {
        "GET": Action.WORKLOAD_VIEW,
        "PATCH": Action.WORKLOAD_SUBMIT,
        "DELETE": Action.WORKLOAD_STOP,
    }

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one notebook in full."""
        return http.respond_detail(request, workload_id, services.KIND)

    @extend_schema(request=WorkloadChangeInput, responses=WorkloadDetail)
    @idempotent
    def patch(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Change a notebook that is stopped or waits, or the time limit of one that runs."""
        return http.respond_changed(
            request, workload_id, services.KIND, WorkloadChangeInput.parse(request)
        )

    @extend_schema(responses={202: WorkloadDetail})
    def delete(self, request: ApiRequest, workload_id: UUID) -> Response:
        """End a notebook permanently."""
        return http.respond_accepted(
            request, services.delete_notebook(actor=request.actor, workload_id=workload_id)
        )


class EnvironmentStopView(http.WorkloadActionView):
    """Stop a notebook and keep its files."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(services.stop_notebook)


class EnvironmentStartView(http.WorkloadActionView):
    """Start a stopped notebook again."""

    required_actions = {"POST": Action.WORKLOAD_SUBMIT}
    perform = staticmethod(services.start_notebook)


class EnvironmentKeepView(http.WorkloadActionView):
    """Keep an idle notebook and its GPUs for a while longer."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(services.keep_notebook)


class EnvironmentGpusView(http.WorkloadActionView):
    """Request the GPUs that an idle notebook has released."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(services.request_gpus)


class EnvironmentRestartView(http.WorkloadActionView):
    """Queue a running notebook again, to start wherever it fits; its files are kept."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(services.restart_notebook)
