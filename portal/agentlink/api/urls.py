"""URLs below `/node/v1/`."""

from django.urls import path

from portal.agentlink.api import views

urlpatterns = [
    path("join", views.NodeJoinView.as_view()),
    path("key", views.NodeKeyView.as_view()),
    path("secrets", views.NodeSecretsView.as_view()),
    path("checks", views.HostChecksView.as_view()),
    path("images", views.NodeImagesView.as_view()),
    path("datasets", views.NodeDatasetsView.as_view()),
    path("registry", views.NodeRegistryView.as_view()),
]
