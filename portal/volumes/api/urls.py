"""Routes of volumes and their files below `/api/v1/`. Uploads and downloads are served by the live process."""

from django.urls import path

from portal.volumes.api import files, volumes

urlpatterns = [
    path("volumes", volumes.VolumeListView.as_view()),
    path("volumes/home", volumes.HomeView.as_view()),
    path("volumes/<uuid:volume_id>", volumes.VolumeDetailView.as_view()),
    path("volumes/<uuid:volume_id>/restore", volumes.VolumeRestoreView.as_view()),
    path("volumes/<uuid:volume_id>/trash", volumes.VolumeTrashView.as_view()),
    path("volumes/<uuid:volume_id>/files", files.VolumeFileListView.as_view()),
    path("volumes/<uuid:volume_id>/files/size", files.VolumeFileSizeView.as_view()),
    path("volumes/<uuid:volume_id>/files/move", files.VolumeFileMoveView.as_view()),
    path("volumes/<uuid:volume_id>/files/move-into", files.VolumeFileMoveIntoView.as_view()),
    path("volumes/<uuid:volume_id>/files/trash", files.VolumeFileTrashView.as_view()),
    path("volumes/<uuid:volume_id>/folders", files.VolumeFolderView.as_view()),
    path("volumes/<uuid:volume_id>/files/trashed", files.TrashedFileListView.as_view()),
    path("volumes/<uuid:volume_id>/files/remove", files.TrashedFileRemoveView.as_view()),
    path("volumes/<uuid:volume_id>/files/restore", files.TrashedFileRestoreView.as_view()),
    path("volumes/<uuid:volume_id>/snapshots", files.SnapshotListView.as_view()),
    path("volumes/<uuid:volume_id>/snapshots/restore", files.SnapshotRestoreView.as_view()),
]
