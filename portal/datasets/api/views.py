"""Endpoints of data sets: users see those they may read, administrators manage them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.views import ApiRequest, ApiView
from portal.datasets import selectors, services
from portal.datasets.api.serializers import (
    DatasetChange,
    DatasetInput,
    DatasetOutput,
    DatasetQuery,
)
from portal.datasets.models import Dataset
from portal.tenancy import policies


class DatasetListView(ApiView):
    """Data sets that work may mount."""

    required_actions = {"GET": Action.DATASET_VIEW, "POST": Action.DATASET_MANAGE}

    @extend_schema(parameters=[DatasetQuery], responses=DatasetOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of the data sets that the caller, or one group, may read."""
        group = DatasetQuery.parse(request).get("group")
        rows = selectors.datasets_visible_to(request.actor, group)
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=DatasetInput, responses={201: DatasetOutput})
    def post(self, request: ApiRequest) -> Response:
        """Give a folder of the nodes a name."""
        given = DatasetInput.parse(request)
        groups = given.pop("groups", [])
        dataset = services.add_dataset(actor=request.actor, columns=given, group_ids=groups)
        return Response(_present(request.actor, [dataset])[0], status=201)


class DatasetDetailView(ApiView):
    """One data set, for administrators."""

    required_actions = {"PATCH": Action.DATASET_MANAGE, "DELETE": Action.DATASET_MANAGE}

    @extend_schema(request=DatasetChange, responses=DatasetOutput)
    def patch(self, request: ApiRequest, dataset_id: UUID) -> Response:
        """Change a data set; running work keeps its mounts."""
        given = DatasetChange.parse(request)
        groups = given.pop("groups", None)
        dataset = services.change_dataset(
            actor=request.actor, dataset_id=dataset_id, columns=given, group_ids=groups
        )
        return Response(_present(request.actor, [dataset])[0])

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, dataset_id: UUID) -> Response:
        """Delete the name; the files stay."""
        services.remove_dataset(actor=request.actor, dataset_id=dataset_id)
        return Response(status=204)


def _present(actor: Actor, page: Sequence[Dataset]) -> list[Any]:
    """Return the data sets as the actor sees them: paths and groups are for administrators."""
    is_manager = policies.can(actor, Action.DATASET_MANAGE, None)
    rows = [
        {
            "id": row.pk,
            "name": row.name,
            "description": row.description,
            "is_for_everybody": row.is_for_everybody,
            "path": row.path if is_manager else None,
            "groups": list(row.groups.all()) if is_manager else None,
        }
        for row in page
    ]
    return list(DatasetOutput(rows, many=True).data)
