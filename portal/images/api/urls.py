"""URLs of saved images, builds, scans, copies on nodes, retention and logins of registries."""

from django.urls import path

from portal.images.api import (
    image_builds,
    image_retention,
    image_saves,
    image_scans,
    node_images,
    registries,
)

urlpatterns = [
    path("environments/<uuid:workload_id>/image-save", image_saves.ImageSaveView.as_view()),
    path("image-builds", image_builds.ImageBuildListView.as_view()),
    path("images/<uuid:image_id>/nodes", node_images.ImageNodesView.as_view()),
    path("images/<uuid:image_id>/scan", image_scans.ImageScanView.as_view()),
    path("images/<uuid:image_id>/pulls", node_images.ImagePullsView.as_view()),
    path("image-retention", image_retention.PlatformRetentionView.as_view()),
    path(
        "image-retention/groups/<uuid:group_id>",
        image_retention.GroupRetentionView.as_view(),
    ),
    path("saved-images", image_saves.SavedImageListView.as_view()),
    path("saved-images/<uuid:image_id>", image_saves.SavedImageDetailView.as_view()),
    path("registries", registries.RegistryListView.as_view()),
    path("registries/<uuid:registry_id>", registries.RegistryDetailView.as_view()),
]
