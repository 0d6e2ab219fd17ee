"""URLs of the overview, of the map of cards, of the history of nodes, of first steps and of the search over all kinds of things."""

from django.urls import path

from portal.overview.api import views

urlpatterns = [
    path("overview", views.OverviewView.as_view()),
    path("overview/waits", views.WaitsView.as_view()),
    path("overview/near-limits", views.NearLimitsView.as_view()),
    path("overview/day", views.DayView.as_view()),
    path("overview/recent", views.RecentDaysView.as_view()),
    path("first-steps", views.FirstStepsView.as_view()),
    path("search", views.SearchView.as_view()),
    path("card-map", views.CardMapView.as_view()),
    path("card-map/values", views.CardValuesView.as_view()),
    path("nodes/<uuid:node_id>/history", views.NodeHistoryView.as_view()),
]
