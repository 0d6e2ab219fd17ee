"""Routes below `/api/v1/`."""

from django.urls import path

from portal.notebooks.api import rules, schedules, templates, views

urlpatterns = [
    path("environments", views.EnvironmentListView.as_view()),
    path("environments/<uuid:workload_id>", views.EnvironmentDetailView.as_view()),
    path("environments/<uuid:workload_id>/stop", views.EnvironmentStopView.as_view()),
    path("environments/<uuid:workload_id>/start", views.EnvironmentStartView.as_view()),
    path("environments/<uuid:workload_id>/keep", views.EnvironmentKeepView.as_view()),
    path("environments/<uuid:workload_id>/gpus", views.EnvironmentGpusView.as_view()),
    path("environments/<uuid:workload_id>/restart", views.EnvironmentRestartView.as_view()),
    path("environments/<uuid:workload_id>/manifest", templates.EnvironmentManifestView.as_view()),
    path("environment-rules", rules.EnvironmentRulesInForceView.as_view()),
    path("environment-rules/groups/<uuid:owner_id>", rules.GroupEnvironmentRulesView.as_view()),
    path("environment-rules/pools/<uuid:owner_id>", rules.PoolEnvironmentRulesView.as_view()),
    path("environment-templates", templates.EnvironmentTemplateListView.as_view()),
    path(
        "environment-templates/<uuid:template_id>",
        templates.EnvironmentTemplateDetailView.as_view(),
    ),
    path("environments/<uuid:workload_id>/schedule", schedules.ScheduleView.as_view()),
    path("environments/<uuid:workload_id>/schedule/keep", schedules.ScheduleKeepView.as_view()),
]
