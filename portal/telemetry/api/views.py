"""The endpoint of charts."""

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.views import ApiRequest, ApiView
from portal.telemetry import selectors
from portal.telemetry.api.serializers import TelemetryOutput, TelemetryQuery
from portal.telemetry.time_axis import choose_axis


class TelemetryView(ApiView):
    """Utilisation, memory and power of cards; what workloads used of their own."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False

    @extend_schema(parameters=[TelemetryQuery], responses=TelemetryOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return the series of one card, node, pool or workload."""
        asked = TelemetryQuery.parse(request)
        axis = choose_axis(asked.get("since"), asked.get("until"), asked.get("step_s"))
        if "workload" in asked:
            series = selectors.workload_series(request.actor, asked["workload"], axis)
        elif "pool" in asked:
            series = selectors.pool_series(request.actor, asked["pool"], axis)
        elif "node" in asked:
            series = selectors.node_series(request.actor, asked["node"], axis)
        else:
            series = selectors.card_series(request.actor, asked["card"], axis)
        shown = {
            "step_s": int(axis.step.total_seconds()),
            "times": axis.times,
            "series": series,
        }
        return Response(TelemetryOutput(shown).data)
