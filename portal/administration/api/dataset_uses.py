"""Endpoint of how much work uses each data set."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy import policies
from portal.workloads.selectors import dataset_uses_for_system

NAMES_MAX: Final = 1000
"""Data sets whose use is shown."""


class DatasetUseShape(serializers.Serializer[Any]):
    """How much work that has not ended uses one data set."""

    name = serializers.CharField()
    workloads = serializers.IntegerField()


class DatasetUseListView(ApiView):
    """The data sets that work needs."""

    required_actions = {"GET": Action.DATASET_MANAGE}
    is_paged = False

    @extend_schema(responses=DatasetUseShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the data sets that waiting, running or stopped work needs, by name."""
        NoFilters.parse(request)
        policies.require(request.actor, Action.DATASET_MANAGE, None)
        rows = [
            {"name": name, "workloads": count}
            for name, count in sorted(dataset_uses_for_system().items())[:NAMES_MAX]
        ]
        return Response(DatasetUseShape(rows, many=True).data)
