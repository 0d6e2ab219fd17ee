"""Endpoints of training jobs and of the list of their outputs."""

from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.serializers import QuerySerializer, StrictCharField
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.jobs import outputs, services
from portal.jobs.api.inputs import JobInput, build_spec
from portal.volumes.tree.listing import FOLDER_ENTRIES_MAX, EntryKind
from portal.volumes.tree.paths import PATH_MAX
from portal.workloads.responses import http
from portal.workloads.responses.list_queries import OneKindQuery
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadSummary
from portal.workloads.submission.inputs import JobChangeInput, parse_submission
from portal.workloads.submission.template_inputs import read_submission

OUTPUTS_MAX: Final = 1000
"""Entries of a folder of outputs in one answer."""


class OutputQuery(QuerySerializer):
    """Which part of which folder."""

    paging: ClassVar[frozenset[str]] = frozenset()

    path = StrictCharField(max_length=PATH_MAX, trim_whitespace=False, allow_blank=True, default="")
    offset = serializers.IntegerField(min_value=0, max_value=FOLDER_ENTRIES_MAX, default=0)
    limit = serializers.IntegerField(min_value=1, max_value=OUTPUTS_MAX, default=OUTPUTS_MAX)


class OutputShape(serializers.Serializer[Any]):
    """An entry of a folder of outputs; a link that leads to one of them has its kind and size."""

    name = serializers.CharField()
    kind = serializers.ChoiceField([kind.value for kind in EntryKind])
    size = serializers.IntegerField()
    modified_at = serializers.DateTimeField()
    has_content = serializers.BooleanField(help_text="Whether it can be downloaded: it is a file.")


class OutputFolderShape(serializers.Serializer[Any]):
    """A part of a folder of outputs, folders first, by name."""

    path = serializers.CharField()
    entries = OutputShape(many=True)
    total = serializers.IntegerField()
    is_cut = serializers.BooleanField()
    """Whether the folder has more entries than are looked at."""
    unreadable_names = serializers.IntegerField(
        help_text="Entries of the folder whose names are no UTF-8: U+F780 to U+F7FF stand for their bytes 0x80 to 0xFF."
    )


class JobListView(http.SubmissionView):
    """All jobs, and new ones."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    manifest_kinds = {"Job": ""}

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
        """Change a job that waits, or name and time limit of one that runs."""
        return http.respond_changed(
            request, workload_id, services.KIND, JobChangeInput.parse(request)
        )


class JobCancelView(http.WorkloadActionView):
    """Cancel a job."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(services.cancel_job)


class JobOutputListView(ApiView):
    """The outputs of a job, folder by folder. Their bytes go through the live process."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(parameters=[OutputQuery], responses=OutputFolderShape)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return a part of a folder."""
        query = OutputQuery.parse(request)
        opened = outputs.open_outputs(request.actor, workload_id, get_site_config().storage_dir)
        page = outputs.list_outputs(
            opened.top, query["path"], offset=query["offset"], limit=query["limit"]
        )
        shown = {
            "path": query["path"],
            "entries": page.entries,
            "total": page.total,
            "is_cut": page.is_cut,
            "unreadable_names": page.unreadable_names,
        }
        return Response(OutputFolderShape(shown).data)
