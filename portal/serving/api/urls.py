"""Routes below `/api/v1/`."""

from django.urls import path

from portal.serving.api import keys, views

_ONE = "services/<uuid:service_id>"

urlpatterns = [
    path("service-presets", views.ServicePresetListView.as_view()),
    path("services", views.ServiceListView.as_view()),
    path(_ONE, views.ServiceDetailView.as_view()),
    path(f"{_ONE}/stop", views.ServiceStopView.as_view()),
    path(f"{_ONE}/start", views.ServiceStartView.as_view()),
    path(f"{_ONE}/scale", views.ServiceScaleView.as_view()),
    path(f"{_ONE}/roll-back", views.ServiceRollBackView.as_view()),
    path(f"{_ONE}/canary", views.ServiceCanaryView.as_view()),
    path(f"{_ONE}/revisions", views.ServiceRevisionListView.as_view()),
    path(f"{_ONE}/replicas", views.ServiceReplicaListView.as_view()),
    path(f"{_ONE}/steps", views.ServiceStepListView.as_view()),
    path(f"{_ONE}/keys", keys.ServiceKeyListView.as_view()),
    path(f"{_ONE}/keys/<uuid:key_id>", keys.ServiceKeyView.as_view()),
    path("replicas", views.ReplicaListView.as_view()),
    path("replicas/<uuid:workload_id>", views.ReplicaDetailView.as_view()),
    path("replicas/<uuid:workload_id>/stop", views.ReplicaStopView.as_view()),
]
