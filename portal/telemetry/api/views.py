"""Door to what was measured."""

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.views import ApiRequest, ApiView
from portal.telemetry import selectors
from portal.telemetry.api.serializers import TelemetryOutput, TelemetryQuery


class TelemetryView(ApiView):
    """Utilisation, memory and power of cards; what workloads used of their own."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False

    @extend_schema(parameters=[TelemetryQuery], responses=TelemetryOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return the series of one card, node, pool or workload."""
        asked = TelemetryQuery.parse(request)
        span = selectors.span_of(asked.get("since"), asked.get("until"), asked.get("step_s"))
        if "workload" in asked:
            series = selectors.of_workload(request.actor, asked["workload"], span)
        elif "pool" in asked:
            series = selectors.of_pool(asked["pool"], span)
        elif "node" in asked:
            series = selectors.of_node(asked["node"], span)
        else:
            series = selectors.of_card(asked["card"], span)
        shown = {
            "step_s": int(span.step.total_seconds()),
            "times": span.times,
            "series": series,
        }
        return Response(TelemetryOutput(shown).data)
