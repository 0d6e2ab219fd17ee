"""Endpoints of files in volumes. Their bytes go through the live process (`portal.transfers`)."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.volumes import file_access, many_files
from portal.volumes.api.file_shapes import (
    FolderInput,
    FolderQuery,
    FolderShape,
    MovedShape,
    MoveInput,
    MoveIntoInput,
    PathQuery,
    RestoredShape,
    SnapshotRestoredShape,
    SnapshotRestoreInput,
    SnapshotShape,
    SubfoldersQuery,
    SubfoldersShape,
    TrashedShape,
    TrashIdsInput,
    TrashInput,
    TrashRemovalInput,
    TrashShape,
    TreeSizeShape,
)
from portal.volumes.file_access import OpenedVolume
from portal.volumes.policies import VolumeAccess
from portal.volumes.selectors import rights_of
from portal.volumes.tree.listing import SortKey


class VolumeFileListView(ApiView):
    """The files of a volume, folder by folder."""

    required_actions = {"GET": Action.VOLUME_READ}
    is_paged = False

    @extend_schema(parameters=[FolderQuery], responses=FolderShape)
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Return a part of a folder."""
        query = FolderQuery.parse(request)
        opened = _to_read(request, volume_id, query["snapshot"])
        page = file_access.list_files(
            opened,
            query["path"],
            sort=SortKey(query["sort"]),
            is_descending=query["descending"],
            offset=query["offset"],
            limit=query["limit"],
        )
        access = rights_of(request.actor).access_to(opened.volume)
        shown = {
            "path": query["path"],
            "may_write": access is VolumeAccess.WRITE and not query["snapshot"],
            "entries": page.entries,
            "total": page.total,
            "is_cut": page.is_cut,
            "unreadable_names": page.unreadable_names,
        }
        return Response(FolderShape(shown).data)


class VolumeFileSizeView(ApiView):
    """How much a folder holds."""

    required_actions = {"GET": Action.VOLUME_READ}

    @extend_schema(parameters=[PathQuery], responses=TreeSizeShape)
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Count the files of a folder and of all below it, for some seconds at most."""
        query = PathQuery.parse(request)
        opened = _to_read(request, volume_id, query["snapshot"])
        found = file_access.measure_files(opened, query["path"])
        return Response(TreeSizeShape(found).data)


class VolumeFolderView(ApiView):
    """Folders by name, and new ones."""

    required_actions = {"GET": Action.VOLUME_READ, "POST": Action.VOLUME_WRITE}
    is_paged = False

    @extend_schema(parameters=[SubfoldersQuery], responses=SubfoldersShape(many=True))
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Return the folders in a folder; `along`: in each from the top to it, as far as they are there."""
        query = SubfoldersQuery.parse(request)
        opened = _to_read(request, volume_id, query["snapshot"])
        found = file_access.list_subfolders(opened, query["path"], along=query["along"])
        return Response(SubfoldersShape(found, many=True).data)

    @extend_schema(request=FolderInput, responses={204: None})
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Make a folder, with those above it."""
        opened = _to_write(request, volume_id)
        file_access.create_folder(opened, FolderInput.parse(request)["path"])
        return Response(status=204)


class VolumeFileMoveView(ApiView):
    """Renames and moves."""

    required_actions = {"POST": Action.VOLUME_WRITE}

    @extend_schema(request=MoveInput, responses={204: None})
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Give a file or folder another path; nothing is replaced."""
        opened = _to_write(request, volume_id)
        given = MoveInput.parse(request)
        file_access.move_file(opened, given["path"], given["to"])
        return Response(status=204)


class VolumeFileMoveIntoView(ApiView):
    """Moves of many files into one folder."""

    required_actions = {"POST": Action.VOLUME_WRITE}
    is_paged = False

    @extend_schema(request=MoveIntoInput, responses=MovedShape(many=True))
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Move files and folders into a folder of the volume; each path has an answer of its own."""
        opened = _to_write(request, volume_id)
        given = MoveIntoInput.parse(request)
        fates = many_files.move_files(request.actor, opened, given["paths"], given["folder"])
        return Response(MovedShape(fates, many=True).data)


class VolumeFileTrashView(ApiView):
    """Deletion, which can be undone for 7 days."""

    required_actions = {"POST": Action.VOLUME_WRITE}
    is_paged = False

    @extend_schema(request=TrashInput, responses=TrashedShape(many=True))
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Move files and folders into the trash of the volume; each path has an answer of its own."""
        opened = _to_write(request, volume_id)
        paths = TrashInput.parse(request)["paths"]
        fates = many_files.trash_files(request.actor, opened, paths)
        return Response(TrashedShape(fates, many=True).data)


class TrashedFileListView(ApiView):
    """What is in the trash of a volume."""

    required_actions = {"GET": Action.VOLUME_READ}
    is_paged = False

    @extend_schema(responses=TrashShape(many=True))
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Return the trash, newest first."""
        found = file_access.list_trash(_to_read(request, volume_id))
        return Response(TrashShape(found, many=True).data)


class TrashedFileRestoreView(ApiView):
    """Undo of deletions."""

    required_actions = {"POST": Action.VOLUME_WRITE}

    @extend_schema(request=TrashIdsInput, responses=RestoredShape)
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Move files and folders back to where they were."""
        opened = _to_write(request, volume_id)
        paths = file_access.restore_files(opened, TrashIdsInput.parse(request)["ids"])
        return Response(RestoredShape({"paths": paths}).data)


class TrashedFileRemoveView(ApiView):
    """Deletion for good."""

    required_actions = {"POST": Action.VOLUME_WRITE}

    @extend_schema(request=TrashRemovalInput, responses={204: None})
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Remove entries of the trash, or all of them, for good."""
        opened = _to_write(request, volume_id)
        file_access.remove_files(opened, TrashRemovalInput.parse(request).get("ids", []))
        return Response(status=204)


class SnapshotListView(ApiView):
    """What the volume was before."""

    required_actions = {"GET": Action.VOLUME_READ}
    is_paged = False

    @extend_schema(responses=SnapshotShape(many=True))
    def get(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Return the snapshots of the storage, the last by name first; none where it makes none."""
        NoFilters.parse(request)
        opened = _to_read(request, volume_id)
        found = file_access.list_snapshots(opened, get_site_config().storage_dir)
        return Response(SnapshotShape([{"name": name} for name in found], many=True).data)


class SnapshotRestoreView(ApiView):
    """Files of a snapshot, put back."""

    required_actions = {"POST": Action.VOLUME_WRITE}

    @extend_schema(request=SnapshotRestoreInput, responses=SnapshotRestoredShape)
    def post(self, request: ApiRequest, volume_id: UUID) -> Response:
        """Copy a file or folder back to where it was; what has its name by now stays, too."""
        opened = _to_write(request, volume_id)
        given = SnapshotRestoreInput.parse(request)
        old = _to_read(request, volume_id, given["snapshot"])
        path = file_access.restore_from_snapshot(opened, old, given["path"])
        return Response(SnapshotRestoredShape({"path": path}).data)


def _to_read(request: ApiRequest, volume_id: UUID, snapshot: str = "") -> OpenedVolume:
    storage_dir = get_site_config().storage_dir
    return file_access.open_to_read(request.actor, volume_id, storage_dir, snapshot=snapshot)


def _to_write(request: ApiRequest, volume_id: UUID) -> OpenedVolume:
    return file_access.open_to_write(request.actor, volume_id, get_site_config().storage_dir)
