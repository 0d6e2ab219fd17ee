"""URL of the site settings."""

from django.urls import path

from portal.site.api import views

urlpatterns = [path("site-settings", views.SiteSettingsView.as_view())]
