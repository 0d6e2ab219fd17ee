"""Endpoints of groups: users see their own; administrators create, rename and remove them."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response
from typing_extensions import override

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    TITLE_MAX,
    IdField,
    InputSerializer,
    NameField,
    NoFilters,
    PatternField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.tenancy import groups, selectors
from portal.tenancy.models import Group

NAME = r"^[a-z0-9][a-z0-9-]{0,62}$"


class GroupChange(InputSerializer):
    """What may be changed of a group; what is left out stays."""

    title_en = NameField(max_length=TITLE_MAX, required=False)
    title_zh = NameField(max_length=TITLE_MAX, required=False)


class GroupInput(InputSerializer):
    """A new group; its name cannot be changed later."""

    name = PatternField(NAME, fault="short_name_not_allowed", max_length=63)
    title_en = NameField(max_length=TITLE_MAX)
    title_zh = NameField(max_length=TITLE_MAX)

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `parent`, whose name the class body cannot use."""
        about = "None creates the organisation itself, once."
        parent = IdField(allow_null=True, default=None, help_text=about)
        return {**super().get_fields(), "parent": parent}


class GroupOutput(TitledRef):
    """A group that the caller may see, with the caller's role in it."""

    role = serializers.SerializerMethodField()

    def get_role(self, group: Any) -> str | None:
        """Return the role of the caller, own or inherited."""
        role: str | None = self.context["roles"].get(group.pk)
        return role

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `parent`, whose name the class body cannot use."""
        parent = serializers.UUIDField(source="parent_id", allow_null=True)
        return {**super().get_fields(), "parent": parent}


class GroupListView(ApiView):
    """The groups that the caller may see."""

    required_actions = {"GET": Action.GROUP_VIEW, "POST": Action.GROUP_MANAGE}

    @extend_schema(responses=GroupOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of groups."""
        NoFilters.parse(request)
        context = {"roles": request.actor.roles}
        rows = selectors.groups_visible_to(request.actor)
        return paginate(
            request, rows, lambda page: GroupOutput(page, many=True, context=context).data
        )

    @extend_schema(request=GroupInput, responses={201: GroupOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create a group below another one."""
        given = GroupInput.parse(request)
        group = groups.create_group(
            actor=request.actor,
            name=given["name"],
            title_en=given["title_en"],
            title_zh=given["title_zh"],
            parent_id=given["parent"],
        )
        return Response(_shown(request, group), status=201)


class GroupDetailView(ApiView):
    """One group."""

    required_actions = {"PATCH": Action.GROUP_MANAGE, "DELETE": Action.GROUP_MANAGE}

    @extend_schema(request=GroupChange, responses=GroupOutput)
    def patch(self, request: ApiRequest, group_id: UUID) -> Response:
        """Change the titles of the group."""
        selectors.group_visible_to(request.actor, group_id)
        given = GroupChange.parse(request)
        group = groups.rename_group(actor=request.actor, group_id=group_id, titles=given)
        return Response(_shown(request, group))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, group_id: UUID) -> Response:
        """Remove a group that has no work, quotas or subgroups and never had work."""
        groups.remove_group(actor=request.actor, group_id=group_id)
        return Response(status=204)


def _shown(request: ApiRequest, group: Group) -> object:
    return GroupOutput(group, context={"roles": request.actor.roles}).data
