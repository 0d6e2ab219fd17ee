"""Doors to people, for those who manage them."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.pagination import paginated
from portal.common.throttling import EveryRequest, TokenChanges
from portal.common.views import ApiRequest, ApiView
from portal.tenancy import people
from portal.tenancy.api.serializers import (
    UserChange,
    UserInput,
    UserOutput,
    UserPasswordOutput,
    UserQuery,
)
from portal.tenancy.people import NewPassword


class UserListView(ApiView):
    """Everybody who may sign in, or could."""

    required_actions = {"GET": Action.USER_MANAGE, "POST": Action.USER_MANAGE}

    @extend_schema(parameters=[UserQuery], responses=UserOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of people."""
        search = UserQuery.parse(request).get("search", "")
        rows = people.people_for(request.actor, search)
        return paginated(request, rows, lambda page: UserOutput(page, many=True).data)

    @extend_schema(request=UserInput, responses={201: UserPasswordOutput})
    def post(self, request: ApiRequest) -> Response:
        """Add a person; the password is in this answer and nowhere else, ever."""
        given = UserInput.parse(request)
        return Response(_with_password(people.create(actor=request.actor, **given)), status=201)


class UserDetailView(ApiView):
    """One person."""

    required_actions = {"GET": Action.USER_MANAGE, "PATCH": Action.USER_MANAGE}

    @extend_schema(responses=UserOutput)
    def get(self, request: ApiRequest, user_id: UUID) -> Response:
        """Return one person with their groups."""
        return Response(UserOutput(people.person_for(request.actor, user_id)).data)

    @extend_schema(request=UserChange, responses=UserOutput)
    def patch(self, request: ApiRequest, user_id: UUID) -> Response:
        """Change a person; who is no longer active is signed out at once."""
        changes = UserChange.parse(request)
        person = people.change(actor=request.actor, user_id=user_id, changes=changes)
        return Response(UserOutput(person).data)


class UserPasswordView(ApiView):
    """The password of one person."""

    required_actions = {"POST": Action.USER_MANAGE}
    throttle_classes = [EveryRequest, TokenChanges]

    @extend_schema(request=None, responses=UserPasswordOutput)
    def post(self, request: ApiRequest, user_id: UUID) -> Response:
        """Give the person a new password; it is in this answer and nowhere else, ever."""
        return Response(_with_password(people.renew_password(actor=request.actor, user_id=user_id)))


def _with_password(made: NewPassword) -> dict[str, Any]:
    return {**UserOutput(made.person).data, "password": made.password}
