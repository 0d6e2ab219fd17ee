"""Endpoints of the caller's own account, of members, robots and tokens."""

from datetime import timedelta
from uuid import UUID

from django.middleware.csrf import get_token
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.errors import NotFoundError
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import NoFilters
from portal.common.rest.throttling import RequestThrottle, TokenThrottle
from portal.common.rest.views import ApiRequest, ApiView, get_django_request
from portal.identity import services as identity
from portal.identity.reading_clock import choose_clock
from portal.tenancy import members, policies, selectors, services
from portal.tenancy.api.serializers import (
    ClockInput,
    GroupMemberOutput,
    IssuedTokenOutput,
    MemberChange,
    MemberInput,
    MeOutput,
    RobotChangeInput,
    RobotInput,
    RobotOutput,
    TokenInput,
    TokenOutput,
)
from portal.tenancy.models import Membership


class MeView(ApiView):
    """The caller's own account."""

    required_actions = {"GET": Action.ME_VIEW}

    @extend_schema(responses=MeOutput)
    def get(self, request: ApiRequest) -> Response:
        """Return the caller and set the CSRF cookie."""
        get_token(get_django_request(request))
        user = selectors.user_for_system(request.actor.user_id)
        memberships = selectors.memberships_of(request.actor)
        shape = MeOutput({**_columns(user), "memberships": memberships})
        return Response(shape.data)


class ClockView(ApiView):
    """By which clock the caller reads times."""

    required_actions = {"PUT": Action.ME_EDIT}

    @extend_schema(request=ClockInput, responses={204: None})
    def put(self, request: ApiRequest) -> Response:
        """Choose the time zone and the hours of the caller's pages and mails."""
        given = ClockInput.parse(request)
        choose_clock(user=selectors.user_for_system(request.actor.user_id), **given)
        return Response(status=204)


class GroupMemberListView(ApiView):
    """The members of one group."""

    required_actions = {"GET": Action.GROUP_VIEW, "POST": Action.MEMBER_MANAGE}
    is_paged = False

    @extend_schema(responses=GroupMemberOutput(many=True))
    def get(self, request: ApiRequest, group_id: UUID) -> Response:
        """List the members by name, with those of the groups above, whose roles hold here too."""
        members_of_group = selectors.members_visible_to(request.actor, group_id)
        return Response(GroupMemberOutput(members_of_group, many=True).data)

    @extend_schema(request=MemberInput, responses={201: GroupMemberOutput})
    def post(self, request: ApiRequest, group_id: UUID) -> Response:
        """Give a person a role in the group and in all groups below it."""
        selectors.group_visible_to(request.actor, group_id)
        given = MemberInput.parse(request)
        membership = members.add_member(actor=request.actor, group_id=group_id, **given)
        return Response(_as_member(membership), status=201)


class GroupMemberView(ApiView):
    """One member of a group."""

    required_actions = {"PATCH": Action.MEMBER_MANAGE, "DELETE": Action.MEMBER_MANAGE}

    @extend_schema(request=MemberChange, responses=GroupMemberOutput)
    def patch(self, request: ApiRequest, group_id: UUID, user_id: UUID) -> Response:
        """Give the member another role."""
        selectors.group_visible_to(request.actor, group_id)
        given = MemberChange.parse(request)
        membership = members.change_member(
            actor=request.actor, group_id=group_id, user_id=user_id, **given
        )
        return Response(_as_member(membership))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, group_id: UUID, user_id: UUID) -> Response:
        """End the membership; what runs of the member goes on, and nothing more of it starts."""
        members.remove_member(actor=request.actor, group_id=group_id, user_id=user_id)
        return Response(status=204)


class RobotListView(ApiView):
    """Service accounts of the caller's groups."""

    required_actions = {"GET": Action.GROUP_VIEW, "POST": Action.ROBOT_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(responses=RobotOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of robots."""
        NoFilters.parse(request)
        rows = selectors.robots_visible_to(request.actor)
        return paginate(request, rows, lambda page: RobotOutput(page, many=True).data)

    @extend_schema(request=RobotInput, responses={201: RobotOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create a robot in a group that the caller administers."""
        given = RobotInput.parse(request)
        robot = services.create_robot(
            actor=request.actor, group_id=given["group"], name=given["name"]
        )
        return Response(RobotOutput(robot).data, status=201)


class RobotDetailView(ApiView):
    """One service account."""

    required_actions = {"PATCH": Action.ROBOT_MANAGE}

    @extend_schema(request=RobotChangeInput, responses=RobotOutput)
    def patch(self, request: ApiRequest, robot_id: UUID) -> Response:
        """Deactivate a robot, or activate it again; the work that it has queued waits meanwhile."""
        selectors.robot_for_manager(request.actor, robot_id)  # unknown comes before malformed
        given = RobotChangeInput.parse(request)
        robot = services.set_robot_active(
            actor=request.actor, robot_id=robot_id, is_active=given["is_active"]
        )
        return Response(RobotOutput(robot).data)


class TokenListView(ApiView):
    """API tokens of the caller and of the robots that the caller manages."""

    required_actions = {"GET": Action.TOKEN_MANAGE, "POST": Action.TOKEN_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(responses=TokenOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of tokens, without their secrets."""
        NoFilters.parse(request)
        rows = selectors.tokens_visible_to(request.actor)
        return paginate(request, rows, lambda page: TokenOutput(page, many=True).data)

    @extend_schema(request=TokenInput, responses={201: IssuedTokenOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create a token; its secret is in this answer only."""
        given = TokenInput.parse(request)
        issued = identity.issue_token(
            actor=request.actor,
            user=selectors.user_for_system(_token_user(request, given.get("robot"))),
            name=given["name"],
            scopes=given["scopes"],
            expires_in=timedelta(days=given["expires_in_days"]),
        )
        shown = {**TokenOutput(issued.row).data, "token": issued.secret}
        return Response(shown, status=201)


class TokenDetailView(ApiView):
    """One API token."""

    required_actions = {"DELETE": Action.TOKEN_MANAGE}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, token_id: UUID) -> Response:
        """Revoke a token at once."""
        if not selectors.tokens_visible_to(request.actor).filter(pk=token_id).exists():
            raise NotFoundError("token")
        identity.revoke_token(actor=request.actor, token_id=token_id)
        return Response(status=204)


def _token_user(request: ApiRequest, robot_id: UUID | None) -> UUID | None:
    if robot_id is None:
        return request.actor.user_id
    group_id = selectors.group_of_robot_for_system(robot_id)
    if group_id is None:
        raise NotFoundError("robot")
    policies.require(request.actor, Action.ROBOT_MANAGE, group_id, what="robot")
    return robot_id


def _as_member(membership: Membership) -> object:
    member = selectors.Member(membership.user, membership.role, is_own=True)
    return GroupMemberOutput(member).data


def _columns(user: object) -> dict[str, object]:
    names = ("id", "username", "display_name", "kind", "platform_role", "time_zone", "hours")
    return {name: getattr(user, name) for name in names}
