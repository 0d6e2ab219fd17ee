"""Endpoints of accounts, for administrators."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate, parse_ordering
from portal.common.rest.throttling import RequestThrottle, TokenThrottle
from portal.common.rest.views import ApiRequest, ApiView
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
    """All accounts of people, active or not."""

    required_actions = {"GET": Action.USER_MANAGE, "POST": Action.USER_MANAGE}

    @extend_schema(parameters=[UserQuery], responses=UserOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of people."""
        asked = UserQuery.parse(request)
        rows = people.people_visible_to(request.actor, asked.get("search", ""))
        ordering = parse_ordering(asked["ordering"], created_at="pk")
        return paginate(
            request, rows, lambda page: UserOutput(page, many=True).data, ordering=ordering
        )

    @extend_schema(request=UserInput, responses={201: UserPasswordOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create an account; the password is in this answer only."""
        given = UserInput.parse(request)
        return Response(
            _with_password(people.create_person(actor=request.actor, **given)), status=201
        )


class UserDetailView(ApiView):
    """One account."""

    required_actions = {"GET": Action.USER_MANAGE, "PATCH": Action.USER_MANAGE}

    @extend_schema(responses=UserOutput)
    def get(self, request: ApiRequest, user_id: UUID) -> Response:
        """Return one person with their groups."""
        return Response(UserOutput(people.person_visible_to(request.actor, user_id)).data)

    @extend_schema(request=UserChange, responses=UserOutput)
    def patch(self, request: ApiRequest, user_id: UUID) -> Response:
        """Change an account; one that is deactivated is signed out at once."""
        changes = UserChange.parse(request)
        person = people.change_person(actor=request.actor, user_id=user_id, changes=changes)
        return Response(UserOutput(person).data)


class UserPasswordView(ApiView):
    """The password of one person."""

    required_actions = {"POST": Action.USER_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(request=None, responses=UserPasswordOutput)
    def post(self, request: ApiRequest, user_id: UUID) -> Response:
        """Set a generated password; it is in this answer only."""
        return Response(_with_password(people.reset_password(actor=request.actor, user_id=user_id)))


class UserSecondFactorsView(ApiView):
    """The second factors of one person."""

    required_actions = {"DELETE": Action.USER_MANAGE}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, user_id: UUID) -> Response:
        """Remove all of them; the person signs in with the password alone."""
        people.remove_second_factors(actor=request.actor, user_id=user_id)
        return Response(status=204)


def _with_password(made: NewPassword) -> dict[str, Any]:
    return {**UserOutput(made.person).data, "password": made.password}
