"""Routes below `/api/v1/`."""

from django.urls import path

from portal.app_sessions.api import views

urlpatterns = [
    path("app-sessions", views.AppSessionListView.as_view()),
    path("app-sessions/<uuid:workload_id>", views.AppSessionDetailView.as_view()),
    path("app-sessions/<uuid:workload_id>/close", views.AppSessionCloseView.as_view()),
]
