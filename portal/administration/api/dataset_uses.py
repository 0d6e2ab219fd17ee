"""Endpoint of how much work uses each data set, and which nodes do not have it."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.datasets.selectors import dataset_paths_for_system
from portal.inventory.selectors import dataset_folders_for_system
from portal.tenancy import policies
from portal.workloads.selectors import dataset_uses_for_system

NAMES_MAX: Final = 1000
"""Data sets whose use is shown."""


class DatasetUseShape(serializers.Serializer[Any]):
    """How much work that has not ended uses one data set, and where the data are not."""

    name = serializers.CharField()
    workloads = serializers.IntegerField()
    missing_on = serializers.ListField(
        child=serializers.CharField(), help_text="Nodes that do not have its folder."
    )


class DatasetUseListView(ApiView):
    """The data sets that work needs."""

    required_actions = {"GET": Action.DATASET_MANAGE}
    is_paged = False

    @extend_schema(responses=DatasetUseShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List the data sets that exist or that work not ended needs, by name."""
        NoFilters.parse(request)
        policies.require(request.actor, Action.DATASET_MANAGE, None)
        uses, paths = dataset_uses_for_system(), dataset_paths_for_system()
        nodes = dataset_folders_for_system()
        rows = [
            {
                "name": name,
                "workloads": uses.get(name, 0),
                "missing_on": _find_nodes_without(paths[name], nodes) if name in paths else [],
            }
            for name in sorted({*uses, *paths})[:NAMES_MAX]
        ]
        return Response(DatasetUseShape(rows, many=True).data)


def _find_nodes_without(path: str, nodes: Mapping[str, Collection[str] | None]) -> list[str]:
    """Return the nodes whose folder of data sets does not have the path's first folder."""
    first = path.partition("/")[0]
    return [
        name
        for name, folders in sorted(nodes.items())
        if folders is not None and first not in folders
    ]
