"""Routes of changes of quotas below `/api/v1/`."""

from django.urls import path

from portal.quota_changes.api import views

urlpatterns = [
    path("quota-changes", views.QuotaChangeListView.as_view()),
    path("quota-changes/csv", views.QuotaCsvView.as_view()),
    path("quota-changes/preview", views.QuotaChangePreviewView.as_view()),
]
