"""URLs of charts, and of the small curves of lists."""

from django.urls import path

from portal.telemetry.api import views

urlpatterns = [
    path("telemetry", views.TelemetryView.as_view()),
    path("telemetry/work-use", views.WorkUseListView.as_view()),
]
