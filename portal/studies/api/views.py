"""Endpoints of studies: of everything for operators, of their groups for group admins."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.studies import selectors, services
from portal.studies.api.serializers import (
    StoryInput,
    StudyDetailOutput,
    StudyInput,
    StudyOutput,
)
from portal.studies.change_request import ChangeRequest
from portal.studies.models import StoryName


class StudyListView(ApiView):
    """Studies, and new ones."""

    required_actions = {"GET": Action.STUDY_MANAGE, "POST": Action.STUDY_MANAGE}

    @extend_schema(responses=StudyOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of studies, without their findings."""
        NoFilters.parse(request)
        rows = selectors.studies_visible_to(request.actor).defer("findings")
        return paginate(request, rows, lambda page: StudyOutput(page, many=True).data)

    @extend_schema(request=StudyInput, responses={201: StudyDetailOutput})
    def post(self, request: ApiRequest) -> Response:
        """Queue a study; it has findings when its phase is `done`, mostly within a minute."""
        given = StudyInput.parse(request)
        change = ChangeRequest(given["pools"], given["quotas"], given["nodes"])
        study = services.request_study(
            actor=request.actor,
            title=given["title"],
            days=given["days"],
            change=change,
            group_id=given["group"],
        )
        return Response(_shown(request, study.pk), status=201)


class StoryListView(ApiView):
    """Simulations of what comes along with the product; listed with all other studies."""

    required_actions = {"POST": Action.STUDY_MANAGE}

    @extend_schema(request=StoryInput, responses={201: StudyDetailOutput})
    def post(self, request: ApiRequest) -> Response:
        """Queue the simulation of a scenario; it has a `story` when its phase is `done`."""
        given = StoryInput.parse(request)
        study = services.request_story(actor=request.actor, scenario=StoryName(given["scenario"]))
        return Response(_shown(request, study.pk), status=201)


class StudyDetailView(ApiView):
    """One study with its findings."""

    required_actions = {"GET": Action.STUDY_MANAGE, "DELETE": Action.STUDY_MANAGE}

    @extend_schema(responses=StudyDetailOutput)
    def get(self, request: ApiRequest, study_id: UUID) -> Response:
        """Return the study, with its findings once it is done."""
        return Response(_shown(request, study_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, study_id: UUID) -> Response:
        """Delete the study and its findings."""
        services.delete_study(actor=request.actor, study_id=study_id)
        return Response(status=204)


def _shown(request: ApiRequest, study_id: UUID) -> object:
    return StudyDetailOutput(selectors.study_visible_to(request.actor, study_id)).data
