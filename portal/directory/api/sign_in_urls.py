"""URLs of sign-in by providers; the library asks for them by these names."""

from django.urls import path

from portal.directory.api import oidc

urlpatterns = [
    path("<slug:provider_id>", oidc.start, name="openid_connect_login"),
    path("<slug:provider_id>/callback", oidc.callback, name="openid_connect_callback"),
]
