"""Addresses of pools, nodes and public facts."""

from django.urls import path

from portal.fleet.api import platform, pools, queues, run_times, views

urlpatterns = [
    path("config", platform.ConfigView.as_view()),
    path("pools", pools.PoolListView.as_view()),
    path("pools/<uuid:pool_id>", pools.PoolDetailView.as_view()),
    path("pools/<uuid:pool_id>/policy", queues.PoolPolicyView.as_view()),
    path("pools/<uuid:pool_id>/queue", queues.PoolQueueView.as_view()),
    path("pools/<uuid:pool_id>/run-times", run_times.PoolRunTimesView.as_view()),
    path("nodes", views.NodeListView.as_view()),
    path("nodes/join-tokens", views.JoinTokenListView.as_view()),
    path("nodes/<uuid:node_id>", views.NodeDetailView.as_view()),
    path("nodes/<uuid:node_id>/cards/<uuid:card_id>/retest", views.CardRetestView.as_view()),
    path("nodes/<uuid:node_id>/cordon", views.NodeCordonView.as_view()),
    path("nodes/<uuid:node_id>/drain", views.NodeDrainView.as_view()),
    path("nodes/<uuid:node_id>/move", pools.NodeMoveView.as_view()),
    path("nodes/<uuid:node_id>/retire", views.NodeRetireView.as_view()),
    path("nodes/<uuid:node_id>/uncordon", views.NodeUncordonView.as_view()),
]
