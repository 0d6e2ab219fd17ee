"""Routes below `/api/v1/`."""

from django.urls import path

from portal.quotas.api import views

urlpatterns = [
    path("quotas", views.QuotaListView.as_view()),
    path("quotas/<uuid:quota_id>", views.QuotaDetailView.as_view()),
]
