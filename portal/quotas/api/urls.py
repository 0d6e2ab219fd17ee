"""Routes of quotas, limits, budgets and fair share below `/api/v1/`."""

from django.urls import path

from portal.quotas.api import budgets, fair_share, limits, quotas

urlpatterns = [
    path("budgets", budgets.BudgetListView.as_view()),
    path("budgets/<uuid:budget_id>", budgets.BudgetDetailView.as_view()),
    path("fair-share", fair_share.FairShareView.as_view()),
    path("group-limits", limits.GroupLimitListView.as_view()),
    path("groups/<uuid:group_id>/limits", limits.GroupLimitView.as_view()),
    path("member-limits", limits.MemberLimitListView.as_view()),
    path("member-limits/<uuid:limit_id>", limits.MemberLimitDetailView.as_view()),
    path("quotas", quotas.QuotaListView.as_view()),
    path("quotas/csv", quotas.QuotaFileView.as_view()),
    path("quotas/<uuid:quota_id>", quotas.QuotaDetailView.as_view()),
]
