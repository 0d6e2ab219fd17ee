"""Routes below `/api/v1/`. Waiting and log following are served by the live process."""

from django.urls import path

from portal.jobs.api import views

urlpatterns = [
    path("jobs", views.JobListView.as_view()),
    path("jobs/<uuid:workload_id>", views.JobDetailView.as_view()),
    path("jobs/<uuid:workload_id>/cancel", views.JobCancelView.as_view()),
    path("jobs/<uuid:workload_id>/outputs", views.JobOutputListView.as_view()),
    path("jobs/<uuid:workload_id>/outputs/<path:path>", views.JobOutputView.as_view()),
]
