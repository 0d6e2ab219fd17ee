"""Endpoints of the schedules of notebooks."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.serializers import InputSerializer, StrictIntegerField
from portal.common.rest.views import ApiRequest, ApiView
from portal.notebooks import schedules
from portal.notebooks.schedules import WeeklyTimes
from portal.workloads.responses import http

DAY_MINUTES: Final = 24 * 60
"""Minutes of a day; times of a schedule are below."""


class NotebookScheduleShape(serializers.Serializer[Any]):
    """When a notebook starts and stops by itself, and when it does so next."""

    days = serializers.ListField(child=serializers.IntegerField(), help_text="0 is Monday.")
    start_minute = serializers.IntegerField(
        allow_null=True, help_text="Of the day, on the site's clock."
    )
    stop_minute = serializers.IntegerField(allow_null=True)
    next_start_at = serializers.DateTimeField(allow_null=True)
    next_stop_at = serializers.DateTimeField(allow_null=True)


class NotebookScheduleInput(InputSerializer):
    """A schedule; it replaces the one before."""

    days = serializers.ListField(child=StrictIntegerField(max_value=6), min_length=1, max_length=7)
    start_minute = StrictIntegerField(max_value=DAY_MINUTES - 1, allow_null=True, default=None)
    stop_minute = StrictIntegerField(max_value=DAY_MINUTES - 1, allow_null=True, default=None)


def read_times(asked: Mapping[str, Any]) -> WeeklyTimes:
    """Return the times of a validated schedule."""
    return WeeklyTimes(tuple(asked["days"]), asked["start_minute"], asked["stop_minute"])


class ScheduleView(ApiView):
    """The schedule of one notebook."""

    required_actions = {
        "GET": Action.WORKLOAD_VIEW,
        "PUT": Action.WORKLOAD_OPEN,
        "DELETE": Action.WORKLOAD_OPEN,
    }
    is_paged = False

    @extend_schema(responses=NotebookScheduleShape)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return the schedule; without one it has no days."""
        row = schedules.schedule_visible_to(request.actor, workload_id)
        return Response(NotebookScheduleShape(row).data)

    @extend_schema(request=NotebookScheduleInput, responses=NotebookScheduleShape)
    def put(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Set the schedule; a scheduled start waits in the queue like any other."""
        schedules.schedule_visible_to(request.actor, workload_id)  # unknown comes before malformed
        row = schedules.set_schedule(
            actor=request.actor,
            workload_id=workload_id,
            times=read_times(NotebookScheduleInput.parse(request)),
        )
        return Response(NotebookScheduleShape(row).data)

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Remove the schedule."""
        schedules.remove_schedule(actor=request.actor, workload_id=workload_id)
        return Response(status=204)


class ScheduleKeepView(http.WorkloadActionView):
    """Skip the next scheduled stop."""

    required_actions = {"POST": Action.WORKLOAD_OPEN}
    perform = staticmethod(schedules.keep_today)
