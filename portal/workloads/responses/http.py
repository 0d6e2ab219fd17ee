"""Answers that jobs and environments share."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.response import Response

from portal.common.pagination import paginate
from portal.common.views import ApiRequest
from portal.workloads import selectors
from portal.workloads.models import Workload
from portal.workloads.responses import presentation

PLURALS = {Workload.Kind.ENVIRONMENT: "environments", Workload.Kind.TRAINING: "jobs"}


def respond_list(request: ApiRequest, filters: Mapping[str, Any]) -> Response:
    """Answer a page of the work that the caller may see."""
    rows = selectors.workloads_visible_to(request.actor, filters)
    return paginate(request, rows, presentation.present_summaries)


def respond_detail(request: ApiRequest, workload_id: UUID, kind: str) -> Response:
    """Answer one workload in full."""
    workload = selectors.workload_visible_to(request.actor, workload_id, kind)
    return Response(presentation.present_detail(workload))


def respond_accepted(request: ApiRequest, workload: Workload) -> Response:
    """Answer that the platform is at it, with the workload as it is now and where it lives."""
    fresh = selectors.workload_visible_to(request.actor, workload.pk)
    plural = PLURALS[Workload.Kind(fresh.kind)]
    location = {"Location": f"/api/v1/{plural}/{fresh.pk}"}
    return Response(presentation.present_detail(fresh), status=202, headers=location)
