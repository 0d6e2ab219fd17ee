"""Routes below `/api/v1/`."""

from django.urls import path

from portal.quotas.api import limits, views

urlpatterns = [
    path("budgets", limits.BudgetListView.as_view()),
    path("budgets/<uuid:budget_id>", limits.BudgetDetailView.as_view()),
    path("groups/<uuid:group_id>/limits", limits.GroupLimitView.as_view()),
    path("quotas", views.QuotaListView.as_view()),
    path("quotas/<uuid:quota_id>", views.QuotaDetailView.as_view()),
]
