"""URLs of images."""

from django.urls import path

from portal.catalog.api import views

urlpatterns = [
    path("images", views.ImageListView.as_view()),
    path("images/<uuid:image_id>", views.ImageDetailView.as_view()),
]
