"""The endpoints of the audit log, which is read-only."""

import json
from collections.abc import Iterable
from typing import Any, Final

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.audit.models import AuditEvent
from portal.common.actions import Action
from portal.common.rest.files import csv_response, csv_text, plain_cell
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import IdField, OneOfField, QuerySerializer, StrictCharField
from portal.common.rest.times import MomentField
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy.selectors import audit_events_visible_to

AUDIT_FILE_ROWS_MAX: Final = 10_000
"""Events in one file of the audit log; older ones are read with `until`."""
_COLUMNS: Final = (
    *("id", "at", "actor_kind", "actor_name", "action", "object_type", "object_id", "group_id"),
    *("outcome", "address", "request_id", "params"),
)


class AuditQuery(QuerySerializer):
    """Filters of the audit log; each is exact, and times are half open."""

    action = StrictCharField(max_length=64, required=False)
    actor = StrictCharField(max_length=100, required=False)
    object_type = StrictCharField(max_length=32, required=False)
    object = StrictCharField(max_length=64, required=False)
    group = IdField(required=False)
    outcome = OneOfField(AuditEvent.Outcome.values, required=False)
    since = MomentField(required=False)
    until = MomentField(required=False)


class AuditEventOutput(serializers.Serializer[Any]):
    """One event: who did what to what, and how it ended."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor_kind = serializers.CharField()
    actor_name = serializers.CharField()
    action = serializers.CharField()
    object_type = serializers.CharField()
    object_id = serializers.CharField()
    group_id = serializers.UUIDField(allow_null=True)
    outcome = serializers.CharField()
    params = serializers.DictField()
    request_id = serializers.CharField()
    address = serializers.CharField()


class AuditEventListView(ApiView):
    """The audit log, newest first."""

    required_actions = {"GET": Action.AUDIT_VIEW}

    @extend_schema(parameters=[AuditQuery], responses=AuditEventOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of events."""
        rows = audit_events_visible_to(request.actor, AuditQuery.parse(request))
        return paginate(request, rows, lambda page: AuditEventOutput(page, many=True).data)


class AuditEventFileView(ApiView):
    """The audit log as a file."""

    required_actions = {"GET": Action.AUDIT_VIEW}
    is_paged = False

    @extend_schema(parameters=[AuditQuery], responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: ApiRequest) -> HttpResponse:
        """Return the newest events as CSV, one a line, what else was written down as JSON."""
        rows = audit_events_visible_to(request.actor, AuditQuery.parse(request)).order_by("-id")
        found = rows.values_list(*_COLUMNS)[:AUDIT_FILE_ROWS_MAX]
        return csv_response(csv_text(_COLUMNS, map(_line, found)), "audit-events")


def _line(row: Iterable[Any]) -> list[object]:
    cells = dict(zip(_COLUMNS, row, strict=True))
    cells["at"] = cells["at"].isoformat()
    cells["params"] = json.dumps(cells["params"], ensure_ascii=False)
    return [plain_cell(cell) for cell in cells.values()]
