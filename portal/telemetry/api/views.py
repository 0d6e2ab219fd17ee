"""The endpoints of charts, and of the small curves of lists."""

from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.projection import project
from portal.common.rest.views import ApiRequest, ApiView
from portal.telemetry import selectors
from portal.telemetry.api.serializers import (
    SUBJECTS,
    TelemetryOutput,
    TelemetryQuery,
    WorkUseOutput,
    WorkUseQuery,
)
from portal.telemetry.tables import POOL, RESOLUTIONS
from portal.telemetry.time_axis import choose_axis
from portal.telemetry.work_use import work_use_visible_to

_READS: Final = {
    "pool": selectors.pool_chart,
    "node": selectors.node_chart,
    "card": selectors.card_chart,
}


class TelemetryView(ApiView):
    """Utilisation, memory and power of cards; what hosts used, and workloads of their own."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False
    refuses_questions = True

    @extend_schema(parameters=[TelemetryQuery], responses=TelemetryOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return the series of one card, node, pool or workload, or of the cluster."""
        asked = TelemetryQuery.parse(request)
        [subject] = (name for name in SUBJECTS if name in asked)
        resolutions = POOL.resolutions if subject in ("pool", "cluster") else RESOLUTIONS
        axis = choose_axis(asked.get("since"), asked.get("until"), asked.get("step_s"), resolutions)
        if subject == "cluster":
            series = selectors.cluster_chart(request.actor, axis)
        elif subject == "workload":
            first_rank = asked.get("first_rank", 0)
            series = selectors.workload_chart(request.actor, asked[subject], axis, first_rank)
        else:
            series = _READS[subject](request.actor, asked[subject], axis)
        shown = {
            "step_s": int(axis.step.total_seconds()),
            "times": axis.times,
            "series": series,
        }
        return Response(project(TelemetryOutput, shown))


class WorkUseListView(ApiView):
    """How much several workloads used their GPUs in the last hour."""

    required_actions = {"GET": Action.ME_VIEW}
    is_paged = False

    @extend_schema(parameters=[WorkUseQuery], responses=WorkUseOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return the last hour of each, as far as the caller may see them."""
        asked = WorkUseQuery.parse(request)
        return Response(
            project(WorkUseOutput, {"uses": work_use_visible_to(request.actor, asked["ids"])})
        )
