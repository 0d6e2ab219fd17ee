"""URL of charts."""

from django.urls import path

from portal.telemetry.api import views

urlpatterns = [path("telemetry", views.TelemetryView.as_view())]
