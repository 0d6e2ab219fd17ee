"""URLs of saved views."""

from django.urls import path

from portal.saved_views.api import views

urlpatterns = [
    path("saved-views", views.SavedViewListView.as_view()),
    path("saved-views/opening", views.OpeningViewView.as_view()),
    path("saved-views/<uuid:view_id>", views.SavedViewDetailView.as_view()),
]
