"""Endpoint of the accuracy of learned run times."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.views import ApiRequest, ApiView
from portal.inventory import selectors
from portal.tenancy import policies
from portal.workloads.run_time_accuracy import accuracy_of_pool_for_system


class RunTimeAccuracyShape(serializers.Serializer[Any]):
    """Predicted compared with actual run times of jobs that ended by themselves, in percent."""

    runs = serializers.IntegerField()
    since = serializers.DateTimeField(allow_null=True)
    predicted = serializers.IntegerField(
        source="accuracy.runs", help_text="Runs for which there was a prediction when they started."
    )
    within_factor_two_percent = serializers.IntegerField(
        source="accuracy.within_factor_two_percent"
    )
    too_long_percent = serializers.IntegerField(source="accuracy.over_percent")
    too_short_percent = serializers.IntegerField(source="accuracy.under_percent")
    median_error_percent = serializers.IntegerField(
        source="accuracy.median_error_percent",
        help_text="Half of the predictions were off by at most this percentage of the actual run time.",
    )


class PoolRunTimesView(ApiView):
    """Accuracy of predicted run times in one pool."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(responses=RunTimeAccuracyShape)
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Return how accurate predictions were; for actors who may see all work."""
        policies.require(request.actor, Action.WORKLOAD_VIEW, None)
        pool = selectors.pool_visible_to(request.actor, pool_id)
        return Response(RunTimeAccuracyShape(accuracy_of_pool_for_system(pool.pk)).data)
