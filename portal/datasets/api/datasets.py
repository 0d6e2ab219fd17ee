"""Endpoints of data sets and their versions: users see those they may read, administrators manage them.

Those that belong to a group are managed by its admins, too.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.uses.work import work_uses
from portal.datasets import services
from portal.datasets.api.shapes import (
    DatasetChange,
    DatasetInput,
    DatasetOutput,
    DatasetQuery,
    DatasetVersionChange,
    DatasetVersionInput,
    DatasetVersionOutput,
)
from portal.datasets.choosing import newest_version
from portal.datasets.models import Dataset, DatasetVersion
from portal.datasets.nodes import version_nodes_for_system
from portal.datasets.references import pinned
from portal.datasets.selectors import dataset_for_manager, dataset_visible_to, datasets_visible_to
from portal.tenancy import policies

_SIZES: Final = ("size_bytes", "file_count", "changed_at")
USABLE_MAX: Final = 20
"""Versions of a data set that its list names."""
_HIDDEN: Final = dict.fromkeys(("groups", "path", "workloads", "missing_on"))
"""What is for those who manage a data set."""


class DatasetListView(ApiView):
    """Data sets that work may mount."""

    required_actions = {"GET": Action.DATASET_VIEW, "POST": Action.DATASET_MANAGE}

    @extend_schema(parameters=[DatasetQuery], responses=DatasetOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of the data sets that the caller, or one group, may read."""
        group = DatasetQuery.parse(request).get("group")
        rows = datasets_visible_to(request.actor, group)
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=DatasetInput, responses={201: DatasetOutput})
    def post(self, request: ApiRequest) -> Response:
        """Name a data set whose first version is a folder of the nodes."""
        policies.require(request.actor, Action.DATASET_MANAGE, None)
        given = DatasetInput.parse(request)
        groups, path = given.pop("groups", []), given.pop("path")
        dataset = services.add_dataset(
            actor=request.actor, columns=given, path=path, group_ids=groups
        )
        return Response(_present_one(request.actor, dataset.pk), status=201)


class DatasetDetailView(ApiView):
    """One data set, for those who manage it."""

    required_actions = {"PATCH": Action.DATASET_MANAGE, "DELETE": Action.DATASET_MANAGE}

    @extend_schema(request=DatasetChange, responses=DatasetOutput)
    def patch(self, request: ApiRequest, dataset_id: UUID) -> Response:
        """Change a data set; running work keeps its mounts."""
        given = DatasetChange.parse(request)
        groups = given.pop("groups", None)
        services.change_dataset(
            actor=request.actor, dataset_id=dataset_id, columns=given, group_ids=groups
        )
        return Response(_present_one(request.actor, dataset_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, dataset_id: UUID) -> Response:
        """Remove a data set that no work uses; the files stay on the nodes, published ones are removed."""
        services.remove_dataset(actor=request.actor, dataset_id=dataset_id)
        return Response(status=204)


class DatasetVersionListView(ApiView):
    """The versions of one data set."""

    required_actions = {"GET": Action.DATASET_VIEW, "POST": Action.DATASET_MANAGE}
    is_paged = False

    @extend_schema(responses=DatasetVersionOutput(many=True))
    def get(self, request: ApiRequest, dataset_id: UUID) -> Response:
        """List all versions, newest first."""
        NoFilters.parse(request)
        dataset = dataset_visible_to(request.actor, dataset_id)
        return Response(_present_versions(request.actor, dataset, dataset.versions.all()))

    @extend_schema(request=DatasetVersionInput, responses={201: DatasetVersionOutput})
    def post(self, request: ApiRequest, dataset_id: UUID) -> Response:
        """Make another folder of the nodes the newest version; what runs keeps its own."""
        dataset_for_manager(request.actor, dataset_id)
        given = DatasetVersionInput.parse(request)
        version = services.add_version(actor=request.actor, dataset_id=dataset_id, columns=given)
        shown = _present_versions(request.actor, version.dataset, [version])
        return Response(shown[0], status=201)


class DatasetVersionDetailView(ApiView):
    """One version of a data set, for those who manage it."""

    required_actions = {"PATCH": Action.DATASET_MANAGE, "DELETE": Action.DATASET_MANAGE}

    @extend_schema(request=DatasetVersionChange, responses=DatasetVersionOutput)
    def patch(self, request: ApiRequest, dataset_id: UUID, number: int) -> Response:
        """Change alias or note, retire the version, or take it back into use."""
        given = DatasetVersionChange.parse(request)
        version = services.change_version(
            actor=request.actor, dataset_id=dataset_id, number=number, columns=given
        )
        return Response(_present_versions(request.actor, version.dataset, [version])[0])

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, dataset_id: UUID, number: int) -> Response:
        """Forget a version that no work uses; its files stay on the nodes, published ones are removed."""
        services.remove_version(actor=request.actor, dataset_id=dataset_id, number=number)
        return Response(status=204)


def _present_one(actor: Actor, dataset_id: UUID) -> Any:
    return _present(actor, [dataset_visible_to(actor, dataset_id)])[0]


def _present(actor: Actor, page: Sequence[Dataset]) -> list[Any]:
    """Return the data sets as the actor sees them: paths, groups and uses are for who manages one."""
    more = _managed_columns([row for row in page if _may_manage(actor, row)])
    rows = [{**_columns(actor, row), **more.get(row.pk, _HIDDEN)} for row in page]
    return list(DatasetOutput(rows, many=True).data)


def _columns(actor: Actor, row: Dataset) -> Mapping[str, Any]:
    ready = [it for it in row.versions.all() if it.state == DatasetVersion.State.READY]
    newest = newest_version(ready)
    return {
        **{name: getattr(row, name) for name in ("id", "name", "description", "is_for_everybody")},
        "owner": row.owner,
        "may_manage": _may_manage(actor, row),
        "newest": newest and newest.number,
        "usable": ready[:USABLE_MAX],
    }


def _may_manage(actor: Actor, row: Dataset) -> bool:
    return policies.can(actor, Action.DATASET_MANAGE, row.owner_id)


def _managed_columns(page: Sequence[Dataset]) -> Mapping[UUID, Mapping[str, Any]]:
    if not page:
        return {}
    uses, nodes = work_uses.get().dataset_uses_for_system(), version_nodes_for_system()
    found = {}
    for row in page:
        versions = list(row.versions.all())
        newest = newest_version(versions)
        found[row.pk] = {
            "groups": row.groups.all(),
            "path": newest and _shown_path(newest),
            "workloads": sum(uses.get(pinned(row.name, it.number), 0) for it in versions),
            "missing_on": nodes.without(newest) if newest else [],
        }
    return found


def _present_versions(
    actor: Actor, dataset: Dataset, versions: Iterable[DatasetVersion]
) -> list[Any]:
    """Return versions as the actor sees them: where they are and who uses them is for managers."""
    is_manager = _may_manage(actor, dataset)
    uses = work_uses.get().dataset_uses_for_system() if is_manager else {}
    nodes = version_nodes_for_system() if is_manager else None
    same = ("number", "alias", "note", "state", "created_at", "made_by", "place", *_SIZES)
    rows = [
        {
            **{name: getattr(row, name) for name in same},
            "path": _shown_path(row) if is_manager else None,
            "workloads": uses.get(pinned(dataset.name, row.number), 0) if is_manager else None,
            "missing_on": nodes.without(row) if nodes else None,
        }
        for row in versions
    ]
    return list(DatasetVersionOutput(rows, many=True).data)


def _shown_path(version: DatasetVersion) -> str | None:
    """Return the folder that an operator has put on the nodes; where others lie is nobody's to know."""
    return version.path if version.place == DatasetVersion.Place.NODES else None
