"""Endpoints of sessions of web apps: started on a folder, opened, closed."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from typing_extensions import override

from portal.app_sessions import services
from portal.app_sessions.services import JobFolder, VolumeFolder
from portal.common.actions import Action
from portal.common.rest.idempotency import idempotent
from portal.common.rest.serializers import (
    FieldFault,
    IdField,
    InputSerializer,
    StrictBooleanField,
    StrictCharField,
)
from portal.common.rest.throttling import RequestThrottle, SubmissionThrottle
from portal.common.rest.views import ApiRequest, ApiView
from portal.workloads.app_folders import APP_PATH_MAX
from portal.workloads.responses import http
from portal.workloads.responses.list_queries import OneKindQuery
from portal.workloads.responses.shapes import WorkloadDetail, WorkloadSummary
from portal.workloads.submission.inputs import ReferenceField


class FolderPathBelowField(StrictCharField):
    """A relative path without `..`; empty is the folder itself."""

    @override
    def to_internal_value(self, data: Any) -> str:
        """Return the path, or the fault."""
        path = super().to_internal_value(data).strip("/")
        parts = path.split("/") if path else []
        if not path.isprintable() or any(part in ("", ".", "..") for part in parts):
            raise ValidationError([FieldFault("path_leaves_folder")])
        return path


class AppSessionInput(InputSerializer):
    """A web app and its folder: outputs of a job, or a volume or the caller's home as a group's work."""

    app = ReferenceField()
    job = IdField(required=False)
    volume = IdField(required=False)
    home = StrictBooleanField(default=False)
    group = ReferenceField(required=False)
    """As which group's work it runs; of a job, that of the job."""
    path = FolderPathBelowField(max_length=APP_PATH_MAX, allow_blank=True, default="")

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require one folder."""
        named = ("job" in attrs, "volume" in attrs, attrs["home"])
        if named.count(True) != 1 or ("job" in attrs) == ("group" in attrs):
            raise ValidationError({"job": [FieldFault("app_of_one_folder")]})
        return attrs


class AppSessionListView(ApiView):
    """Sessions of web apps."""

    required_actions = {"GET": Action.WORKLOAD_VIEW, "POST": Action.WORKLOAD_SUBMIT}
    throttle_classes = [RequestThrottle, SubmissionThrottle]

    @extend_schema(parameters=[OneKindQuery], responses=WorkloadSummary(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the sessions that the caller may see, newest first."""
        return http.respond_list(request, {**OneKindQuery.parse(request), "kind": services.KIND})

    @extend_schema(request=AppSessionInput, responses={202: WorkloadDetail})
    @idempotent
    def post(self, request: ApiRequest) -> Response:
        """Start a web app on a folder; the caller's own session there is returned if there is one."""
        given = AppSessionInput.parse(request)
        session = services.start_session(
            actor=request.actor, app=given["app"], of=read_folder(given)
        )
        return http.respond_accepted(request, session)


class AppSessionDetailView(ApiView):
    """One session."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}

    @extend_schema(responses=WorkloadDetail)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return one session in full."""
        return http.respond_detail(request, workload_id, services.KIND)


class AppSessionCloseView(http.WorkloadActionView):
    """End a session; its folder stays as it is."""

    required_actions = {"POST": Action.WORKLOAD_STOP}
    perform = staticmethod(services.close_session)


def read_folder(given: Mapping[str, Any]) -> JobFolder | VolumeFolder:
    """Return the folder that a validated body names."""
    if "job" in given:
        return JobFolder(given["job"], given["path"])
    return VolumeFolder(given.get("volume"), given["group"], given["path"])
