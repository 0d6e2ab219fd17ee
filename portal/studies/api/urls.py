"""Routes below `/api/v1/`."""

from django.urls import path

from portal.studies.api import views

urlpatterns = [
    path("studies", views.StudyListView.as_view()),
    path("studies/stories", views.StoryListView.as_view()),
    path("studies/<uuid:study_id>", views.StudyDetailView.as_view()),
]
