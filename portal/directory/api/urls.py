"""URLs of directories, for administrators."""

from django.urls import path

from portal.directory.api import views

_ONE = "directories/<uuid:directory_id>"
urlpatterns = [
    path("directories", views.DirectoryListView.as_view()),
    path(_ONE, views.DirectoryDetailView.as_view()),
    path(f"{_ONE}/token", views.DirectoryTokenView.as_view()),
    path(f"{_ONE}/sync", views.DirectorySyncView.as_view()),
    path(f"{_ONE}/plan", views.DirectoryPlanView.as_view()),
    path(f"{_ONE}/external-groups", views.DirectoryGroupListView.as_view()),
]
