"""Routes of training metrics below `/api/v1/`."""

from django.urls import path

from portal.training_metrics.api import views

urlpatterns = [
    path("jobs/<uuid:workload_id>/metrics", views.JobMetricsView.as_view()),
    path("jobs/<uuid:workload_id>/metrics/lines", views.ChartLinesView.as_view()),
    path("jobs/<uuid:workload_id>/metrics.csv", views.ChartLinesFileView.as_view()),
    path("job-arrays/<uuid:array_id>/metrics", views.ArrayResultsView.as_view()),
    path("job-arrays/<uuid:array_id>/metrics.csv", views.ArrayResultsFileView.as_view()),
]
