"""Routes of advance reservations below `/api/v1/`."""

from django.urls import path

from portal.reserving.api import reservations

urlpatterns = [
    path("reservations", reservations.ReservationListView.as_view()),
    path("reservations/<uuid:reservation_id>", reservations.ReservationDetailView.as_view()),
]
