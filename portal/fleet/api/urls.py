"""Routes below `/api/v1/`."""

from django.urls import path

from portal.fleet.api import nodes, platform, pools, queues, recovery, run_times

urlpatterns = [
    path("config", platform.ConfigView.as_view()),
    path("pools", pools.PoolListView.as_view()),
    path("pools/<uuid:pool_id>", pools.PoolDetailView.as_view()),
    path("pools/<uuid:pool_id>/policy", queues.PoolPolicyView.as_view()),
    path("pools/<uuid:pool_id>/policy-changes", queues.PolicyChangeListView.as_view()),
    path(
        "pools/<uuid:pool_id>/policy-changes/<uuid:change_id>/undo",
        queues.PolicyChangeUndoView.as_view(),
    ),
    path("pools/<uuid:pool_id>/queue", queues.PoolQueueView.as_view()),
    path("pools/<uuid:pool_id>/run-times", run_times.PoolRunTimesView.as_view()),
    path("nodes", nodes.NodeListView.as_view()),
    path("nodes/join-tokens", nodes.JoinTokenListView.as_view()),
    path("nodes/<uuid:node_id>", nodes.NodeDetailView.as_view()),
    path("nodes/<uuid:node_id>/cards/<uuid:card_id>/retest", nodes.CardRetestView.as_view()),
    path("nodes/<uuid:node_id>/checks", nodes.NodeChecksView.as_view()),
    path("nodes/<uuid:node_id>/cordon", nodes.NodeCordonView.as_view()),
    path("nodes/<uuid:node_id>/declare-lost", nodes.NodeDeclareLostView.as_view()),
    path("nodes/<uuid:node_id>/drain", nodes.NodeDrainView.as_view()),
    path("nodes/<uuid:node_id>/move", pools.NodeMoveView.as_view()),
    path("nodes/<uuid:node_id>/retire", nodes.NodeRetireView.as_view()),
    path("nodes/<uuid:node_id>/uncordon", nodes.NodeUncordonView.as_view()),
    path("nodes/<uuid:node_id>/work", nodes.NodeWorkView.as_view()),
    path("recovery", recovery.RecoveryView.as_view()),
    path("recovery/finish", recovery.RecoveryFinishView.as_view()),
    path(
        "recovery/containers/<uuid:container_id>/stop",
        recovery.ForgottenContainerStopView.as_view(),
    ),
]
