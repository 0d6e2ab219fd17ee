"""HTTP responses that all kinds of work share."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Protocol
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actor import Actor
from portal.common.rest.manifests import ManifestParser
from portal.common.rest.pagination import paginate
from portal.common.rest.parsing import StrictJSONParser
from portal.common.rest.throttling import RequestThrottle, SubmissionThrottle
from portal.common.rest.views import ApiRequest, ApiView
from portal.workloads import selectors
from portal.workloads.changes import change_workload
from portal.workloads.models import Workload
from portal.workloads.responses.list_queries import ordering_of
from portal.workloads.responses.shapes import WorkloadDetail
from portal.workloads.responses.workloads import (
    present_detail,
    present_submitted,
    present_summaries,
)
from portal.workloads.submission.inputs import parse_change


class SubmissionView(ApiView):
    """A list to which work is submitted; submissions have a throttle of their own."""

    throttle_classes = [RequestThrottle, SubmissionThrottle]
    parser_classes = [StrictJSONParser, ManifestParser]
    manifest_kinds: ClassVar[Mapping[str, str]]
    """The kinds of the manifests that it takes, with the `kind` of the body that each means."""


class WorkloadAction(Protocol):
    """A service that does something to one workload."""

    def __call__(self, *, actor: Actor, workload_id: UUID) -> Workload:
        """Return the workload as it is afterwards."""


class WorkloadActionView(ApiView):
    """A POST without a body that does something to one workload and returns it."""

    perform: ClassVar[WorkloadAction]

    @extend_schema(request=None, responses={202: WorkloadDetail})
    def post(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Perform the action; the API describes it by the docstring of the subclass."""
        workload = self.perform(actor=request.actor, workload_id=workload_id)
        return respond_accepted(request, workload)


def respond_list(request: ApiRequest, filters: Mapping[str, Any]) -> Response:
    """Return a page of the work that the caller may see."""
    rows = selectors.workloads_visible_to(request.actor, filters)
    collapsed = bool(filters.get("collapsed"))
    present = partial(present_summaries, actor=request.actor, collapsed=collapsed)
    return paginate(request, rows, present, ordering=ordering_of(filters))


def respond_detail(request: ApiRequest, workload_id: UUID, kind: str | None = None) -> Response:
    """Return one workload in full; of this kind, if one is given."""
    workload = selectors.workload_visible_to(request.actor, workload_id, kind)
    return Response(present_detail(workload, request.actor.user_id))


def respond_submitted(workload: Workload, *, has_dependencies: bool = False) -> Response:
    """Return 202 with new work and its address; see `present_submitted`."""
    shown = present_submitted(workload, has_dependencies=has_dependencies)
    return _accepted(workload, shown)


def respond_changed(
    request: ApiRequest, workload_id: UUID, kind: str, asked: Mapping[str, Any]
) -> Response:
    """Change one workload and return it in full."""
    change_workload(
        actor=request.actor, workload_id=workload_id, kind=kind, changes=parse_change(asked)
    )
    return respond_detail(request, workload_id, kind)


def respond_accepted(request: ApiRequest, workload: Workload) -> Response:
    """Return 202 with the workload as it is now, and its address."""
    fresh = selectors.workload_visible_to(request.actor, workload.pk)
    return _accepted(fresh, present_detail(fresh, request.actor.user_id))


def _accepted(workload: Workload, shown: dict[str, Any]) -> Response:
    location = {"Location": f"/api/v1/{workload.terms.plural}/{workload.pk}"}
    return Response(shown, status=202, headers=location)
