"""Routes below `/api/v1/`."""

from django.urls import path

from portal.administration.api import budgets, dataset_uses, groups, limits, quotas, reservations

urlpatterns = [
    path("budgets", budgets.BudgetListView.as_view()),
    path("budgets/<uuid:budget_id>", budgets.BudgetDetailView.as_view()),
    path("dataset-uses", dataset_uses.DatasetUseListView.as_view()),
    path("group-limits", limits.GroupLimitListView.as_view()),
    path("groups", groups.GroupListView.as_view()),
    path("groups/<uuid:group_id>", groups.GroupDetailView.as_view()),
    path("groups/<uuid:group_id>/limits", limits.GroupLimitView.as_view()),
    path("member-limits", limits.MemberLimitListView.as_view()),
    path("member-limits/<uuid:limit_id>", limits.MemberLimitDetailView.as_view()),
    path("quotas", quotas.QuotaListView.as_view()),
    path("quotas/<uuid:quota_id>", quotas.QuotaDetailView.as_view()),
    path("reservations", reservations.ReservationListView.as_view()),
    path(
        "reservations/<uuid:reservation_id>",
        reservations.ReservationDetailView.as_view(),
    ),
]
