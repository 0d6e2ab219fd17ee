"""Routes of data sets below `/api/v1/`."""

from django.urls import path

from portal.datasets.api import caches, datasets, publications

urlpatterns = [
    path("datasets", datasets.DatasetListView.as_view()),
    path("datasets/<uuid:dataset_id>", datasets.DatasetDetailView.as_view()),
    path("datasets/<uuid:dataset_id>/versions", datasets.DatasetVersionListView.as_view()),
    path(
        "datasets/<uuid:dataset_id>/versions/<int:number>",
        datasets.DatasetVersionDetailView.as_view(),
    ),
    path(
        "datasets/<uuid:dataset_id>/versions/<int:number>/caches",
        caches.DatasetCachesView.as_view(),
    ),
    path("dataset-publications", publications.PublicationListView.as_view()),
    path(
        "dataset-publications/<uuid:publication_id>",
        publications.PublicationDetailView.as_view(),
    ),
    path("object-stores", publications.ObjectStoreListView.as_view()),
]
