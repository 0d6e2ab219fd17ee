"""Endpoints of changes of many quotas: history, preview, saving, and what a file would change."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.projection import project
from portal.common.rest.views import ApiRequest, ApiView
from portal.inventory.gpu_models import model_name
from portal.quota_changes.api.answers import (
    present_change,
    present_edits,
    present_member_edits,
    present_preview,
)
from portal.quota_changes.api.shapes import (
    QuotaChangeInput,
    QuotaChangePreviewInput,
    QuotaChangeShape,
    QuotaCsvInput,
    QuotaEditsShape,
    QuotaPreviewShape,
)
from portal.quota_changes.requests import (
    QuotaChangeRequest,
    change_quotas,
    preview_quota_change,
)
from portal.quotas import selectors
from portal.quotas.csv_edits import read_csv_edits
from portal.quotas.edits import MemberEdit, QuotaEdit, QuotaSubject
from portal.quotas.quota_query import QuotaQuery


class QuotaChangeListView(ApiView):
    """Changes of quotas."""

    required_actions = {"GET": Action.AUDIT_VIEW, "POST": Action.REQUEST_DECIDE}

    @extend_schema(parameters=[QuotaQuery], responses=QuotaChangeShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List what changed quotas, newest first."""
        group_id = QuotaQuery.parse(request).get("group")
        rows = selectors.quota_changes_visible_to(request.actor, group_id)
        return paginate(request, rows, lambda page: [present_change(row) for row in page])

    @extend_schema(request=QuotaChangeInput, responses={201: QuotaChangeShape})
    def post(self, request: ApiRequest) -> Response:
        """Change quotas together: all or none, and only if they still are as `before` says."""
        asked = QuotaChangeInput.parse(request)
        row = change_quotas(actor=request.actor, request=_request(asked))
        shown = selectors.quota_changes_visible_to(request.actor).get(pk=row.pk)
        return Response(present_change(shown), status=201)


class QuotaChangePreviewView(ApiView):
    """What a change would do."""

    required_actions = {"POST": Action.REQUEST_DECIDE}

    @extend_schema(request=QuotaChangePreviewInput, responses=QuotaPreviewShape)
    def post(self, request: ApiRequest) -> Response:
        """Decide one cycle under the present quotas and one under the new ones; nothing is saved."""
        asked = QuotaChangePreviewInput.parse(request)
        found = preview_quota_change(actor=request.actor, request=_request(asked))
        return Response(present_preview(request.actor, found))


class QuotaCsvView(ApiView):
    """A file that is imported."""

    required_actions = {"POST": Action.REQUEST_DECIDE}

    @extend_schema(request=QuotaCsvInput, responses=QuotaEditsShape)
    def post(self, request: ApiRequest) -> Response:
        """Return what a CSV file would change; nothing is saved, each fault names its row."""
        asked = QuotaCsvInput.parse(request)
        found = read_csv_edits(actor=request.actor, text=asked["text"])
        shown = {
            "changes": present_edits(found.edits),
            "members": present_member_edits(found.members),
        }
        return Response(project(QuotaEditsShape, shown))


def _request(asked: Mapping[str, Any]) -> QuotaChangeRequest:
    edits = tuple(
        QuotaEdit(
            row["group"],
            QuotaSubject(row["pool"], row["resource"], model_name(row["model"])),
            row["before"],
            row["after"],
        )
        for row in asked["changes"]
    )
    members = tuple(
        MemberEdit(
            row["group"],
            row["user"],
            QuotaSubject(row["pool"], row["resource"], model_name(row["model"])),
            row["before"],
            row["after"],
        )
        for row in asked["members"]
    )
    return QuotaChangeRequest(edits, members, asked["undo"], asked.get("reason", "").strip())
