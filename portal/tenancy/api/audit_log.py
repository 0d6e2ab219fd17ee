"""The endpoint of the audit log, which is read-only."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.audit.models import AuditEvent
from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import IdField, OneOfField, QuerySerializer, StrictCharField
from portal.common.rest.times import MomentField
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy.selectors import audit_events_visible_to


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
