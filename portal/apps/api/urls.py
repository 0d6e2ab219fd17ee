"""URLs of web apps."""

from django.urls import path

from portal.apps.api import presets, views

urlpatterns = [
    path("apps", views.WebAppListView.as_view()),
    path("app-presets", presets.WebAppPresetsView.as_view()),
    path("apps/<uuid:app_id>", views.WebAppDetailView.as_view()),
]
