"""Routes below `/api/v1/`."""

from django.urls import path

from portal.endpoints.api import access_shares, tickets

urlpatterns = [
    path("environments/<uuid:workload_id>/tickets", tickets.EnvironmentTicketListView.as_view()),
    path("jobs/<uuid:workload_id>/tickets", tickets.JobTicketListView.as_view()),
    path(
        "app-sessions/<uuid:workload_id>/tickets",
        tickets.AppSessionTicketListView.as_view(),
    ),
    path(
        "environments/<uuid:workload_id>/shares", access_shares.EnvironmentShareListView.as_view()
    ),
    path(
        "environments/<uuid:workload_id>/shares/<uuid:share_id>",
        access_shares.EnvironmentShareView.as_view(),
    ),
    path("app-sessions/<uuid:workload_id>/shares", access_shares.AppShareListView.as_view()),
    path(
        "app-sessions/<uuid:workload_id>/shares/<uuid:share_id>",
        access_shares.AppShareView.as_view(),
    ),
    path("jobs/<uuid:workload_id>/shares", access_shares.JobShareListView.as_view()),
    path("jobs/<uuid:workload_id>/shares/<uuid:share_id>", access_shares.JobShareView.as_view()),
    path("replicas/<uuid:workload_id>/tickets", tickets.ReplicaTicketListView.as_view()),
    path("replicas/<uuid:workload_id>/shares", access_shares.ReplicaShareListView.as_view()),
    path(
        "replicas/<uuid:workload_id>/shares/<uuid:share_id>",
        access_shares.ReplicaShareView.as_view(),
    ),
    path("access-shares", access_shares.ReceivedShareListView.as_view()),
    path("access-shares/<uuid:share_id>", access_shares.ReceivedShareView.as_view()),
    path(
        "access-shares/<uuid:share_id>/tickets",
        access_shares.ReceivedShareTicketListView.as_view(),
    ),
]
