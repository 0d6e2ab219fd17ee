"""Routes below `/api/v1/`."""

from django.urls import path

from portal.administration.api import (
    budgets,
    fair_share,
    limits,
    quota_changes,
    quotas,
    reservations,
)

urlpatterns = [
    path("budgets", budgets.BudgetListView.as_view()),
    path("budgets/<uuid:budget_id>", budgets.BudgetDetailView.as_view()),
    path("fair-share", fair_share.FairShareView.as_view()),
    path("group-limits", limits.GroupLimitListView.as_view()),
    path("groups/<uuid:group_id>/limits", limits.GroupLimitView.as_view()),
    path("member-limits", limits.MemberLimitListView.as_view()),
    path("member-limits/<uuid:limit_id>", limits.MemberLimitDetailView.as_view()),
    path("quota-changes", quota_changes.QuotaChangeListView.as_view()),
    path("quota-changes/csv", quota_changes.QuotaCsvView.as_view()),
    path("quota-changes/preview", quota_changes.QuotaChangePreviewView.as_view()),
    path("quotas", quotas.QuotaListView.as_view()),
    path("quotas/csv", quota_changes.QuotaFileView.as_view()),
    path("quotas/<uuid:quota_id>", quotas.QuotaDetailView.as_view()),
    path("reservations", reservations.ReservationListView.as_view()),
    path(
        "reservations/<uuid:reservation_id>",
        reservations.ReservationDetailView.as_view(),
    ),
]
