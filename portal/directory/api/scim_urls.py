"""URLs of the SCIM server."""

from django.urls import path, re_path

from portal.directory.api import scim

urlpatterns = [
    path("ServiceProviderConfig", scim.ScimDescriptionView.as_view(kind="ServiceProviderConfig")),
    path("ResourceTypes", scim.ScimDescriptionView.as_view(kind="ResourceTypes")),
    path("ResourceTypes/<str:key>", scim.ScimDescriptionView.as_view(kind="ResourceTypes")),
    path("Schemas", scim.ScimDescriptionView.as_view(kind="Schemas")),
    path("Schemas/<str:key>", scim.ScimDescriptionView.as_view(kind="Schemas")),
    path(".search", scim.ScimAbsentView.as_view(status=501)),
    path("Bulk", scim.ScimAbsentView.as_view(status=501)),
    path("Me", scim.ScimAbsentView.as_view(status=501)),
    path("Users/.search", scim.ScimPeopleSearchView.as_view()),
    path("Groups/.search", scim.ScimGroupsSearchView.as_view()),
    path("Users", scim.ScimPeopleView.as_view()),
    path("Users/<str:key>", scim.ScimPersonView.as_view()),
    path("Groups", scim.ScimGroupsView.as_view()),
    path("Groups/<str:key>", scim.ScimGroupView.as_view()),
    re_path("", scim.ScimAbsentView.as_view()),
]
