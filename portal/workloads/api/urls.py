"""Routes below `/api/v1/`."""

from django.urls import path

from portal.workloads.api import views, volume_users

urlpatterns = [
    path("volumes/<uuid:volume_id>/users", volume_users.VolumeUserListView.as_view()),
    path("workloads", views.WorkloadListView.as_view()),
    path("workloads.csv", views.WorkloadListFileView.as_view()),
    path("workloads/<uuid:workload_id>", views.WorkloadDetailView.as_view()),
    path("workloads/<uuid:workload_id>/advice", views.AdviceView.as_view()),
    path("workloads/<uuid:workload_id>/checkpoint", views.CheckpointView.as_view()),
    path("workloads/<uuid:workload_id>/events", views.WorkloadEventsView.as_view()),
    path("workloads/<uuid:workload_id>/handover", views.HandoverView.as_view()),
    path("workloads/<uuid:workload_id>/place", views.PlaceView.as_view()),
    path("workloads/<uuid:workload_id>/tags", views.TagsView.as_view()),
    path("workloads/<uuid:workload_id>/waiting", views.WaitView.as_view()),
]
