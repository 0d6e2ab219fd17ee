"""URLs of images and web apps."""

from django.urls import path

from portal.catalog.api import app_presets, apps, views

urlpatterns = [
    path("images", views.ImageListView.as_view()),
    path("images/<uuid:image_id>", views.ImageDetailView.as_view()),
    path("apps", apps.WebAppListView.as_view()),
    path("app-presets", app_presets.WebAppPresetsView.as_view()),
    path("apps/<uuid:app_id>", apps.WebAppDetailView.as_view()),
]
