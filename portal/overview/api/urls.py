"""URLs of the overview and of the map of cards."""

from django.urls import path

from portal.overview.api import views

urlpatterns = [
    path("overview", views.OverviewView.as_view()),
    path("overview/recent", views.RecentDaysView.as_view()),
    path("card-map", views.CardMapView.as_view()),
    path("card-map/values", views.CardValuesView.as_view()),
]
