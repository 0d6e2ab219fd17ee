"""Routes below `/api/v1/`."""

from django.urls import path

from portal.workloads.api import datasets, groups, limits, members, quotas, views

urlpatterns = [
    path("budgets", limits.BudgetListView.as_view()),
    path("budgets/<uuid:budget_id>", limits.BudgetDetailView.as_view()),
    path("dataset-uses", datasets.DatasetUseListView.as_view()),
    path("group-limits", limits.GroupLimitListView.as_view()),
    path("groups", groups.GroupListView.as_view()),
    path("groups/<uuid:group_id>", groups.GroupDetailView.as_view()),
    path("groups/<uuid:group_id>/limits", limits.GroupLimitView.as_view()),
    path("member-limits", members.MemberLimitListView.as_view()),
    path("member-limits/<uuid:limit_id>", members.MemberLimitDetailView.as_view()),
    path("quotas", quotas.QuotaListView.as_view()),
    path("quotas/<uuid:quota_id>", quotas.QuotaDetailView.as_view()),
    path("workloads", views.WorkloadListView.as_view()),
    path("workloads/dry-run", views.DryRunView.as_view()),
    path("workloads/<uuid:workload_id>/advice", views.AdviceView.as_view()),
    path("workloads/<uuid:workload_id>/checkpoint", views.CheckpointView.as_view()),
    path("workloads/<uuid:workload_id>/events", views.WorkloadEventsView.as_view()),
]
