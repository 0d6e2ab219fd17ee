"""Routes of secrets below `/api/v1/`."""

from django.urls import path

from portal.secrets.api import secrets

urlpatterns = [
    path("secrets", secrets.SecretListView.as_view()),
    path("secrets/<uuid:secret_id>", secrets.SecretDetailView.as_view()),
]
