"""Routes below `/api/v1/`."""

from django.urls import path

from portal.metering.api import prices, views

urlpatterns = [
    path("gpu-prices", prices.PriceListView.as_view()),
    path("gpu-prices/<uuid:price_id>", prices.PriceDetailView.as_view()),
    path("usage", views.UsageListView.as_view()),
    path("usage/groups/<uuid:group_id>/members", views.MemberUseView.as_view()),
    path("usage/report", views.UsageReportView.as_view()),
    path("usage/waits", views.UsageWaitsView.as_view()),
    path("usage/workloads", views.ListedUseView.as_view()),
    path("usage/workloads/<uuid:workload_id>", views.WorkUseView.as_view()),
    path("usage/weeks", views.UsageWeeksView.as_view()),
]
