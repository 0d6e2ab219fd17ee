"""URLs of data sets."""

from django.urls import path

from portal.datasets.api import views

urlpatterns = [
    path("datasets", views.DatasetListView.as_view()),
    path("datasets/<uuid:dataset_id>", views.DatasetDetailView.as_view()),
]
