"""Addresses of the catalogue."""

from django.urls import path

from portal.catalog.api import views

urlpatterns = [path("images", views.ImageListView.as_view())]
