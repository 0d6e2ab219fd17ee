"""Routes below `/api/v1/`. Waiting, log following and downloads of outputs are served by the live process."""

from django.urls import path

from portal.jobs.api import queue_controls, rules, templates, views

urlpatterns = [
    path("jobs", views.JobListView.as_view()),
    path("jobs/<uuid:workload_id>", views.JobDetailView.as_view()),
    path("jobs/<uuid:workload_id>/cancel", views.JobCancelView.as_view()),
    path("jobs/<uuid:workload_id>/hold", queue_controls.JobHoldView.as_view()),
    path("jobs/<uuid:workload_id>/release", queue_controls.JobReleaseView.as_view()),
    path("jobs/<uuid:workload_id>/requeue", queue_controls.JobRequeueView.as_view()),
    path("job-arrays", queue_controls.JobArrayListView.as_view()),
    path("job-arrays/<uuid:array_id>", queue_controls.JobArrayDetailView.as_view()),
    path("job-arrays/<uuid:array_id>/cancel", queue_controls.JobArrayCancelView.as_view()),
    path("job-arrays/<uuid:array_id>/hold", queue_controls.JobArrayHoldView.as_view()),
    path("job-arrays/<uuid:array_id>/release", queue_controls.JobArrayReleaseView.as_view()),
    path("jobs/<uuid:workload_id>/manifest", templates.JobManifestView.as_view()),
    path("job-templates", templates.JobTemplateListView.as_view()),
    path("job-templates/<uuid:template_id>", templates.JobTemplateDetailView.as_view()),
    path("job-rules", rules.JobRulesInForceView.as_view()),
    path("job-rules/groups/<uuid:owner_id>", rules.GroupJobRulesView.as_view()),
    path("job-rules/pools/<uuid:owner_id>", rules.PoolJobRulesView.as_view()),
    path("jobs/<uuid:workload_id>/outputs", views.JobOutputListView.as_view()),
]
