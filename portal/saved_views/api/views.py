"""Endpoints of saved views: everybody's own, and those that others share with a group."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.views import ApiRequest, ApiView
from portal.saved_views import selectors, services
from portal.saved_views.api.serializers import (
    OpeningInput,
    SavedViewOutput,
    ViewChange,
    ViewInput,
    ViewQuery,
)
from portal.saved_views.models import SavedView


class SavedViewListView(ApiView):
    """Saved views of lists."""

    required_actions = {"GET": Action.TEMPLATE_VIEW, "POST": Action.TEMPLATE_MANAGE}

    @extend_schema(parameters=[ViewQuery], responses=SavedViewOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of the views that the caller may use, newest first."""
        rows = selectors.views_visible_to(request.actor, ViewQuery.parse(request).get("list"))
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=ViewInput, responses={201: SavedViewOutput})
    def post(self, request: ApiRequest) -> Response:
        """Store a view of the caller."""
        given = ViewInput.parse(request)
        row = services.save_view(
            actor=request.actor,
            list_name=given["list"],
            name=given["name"],
            search=given["search"],
            columns=services.ViewColumns(given.get("hidden", []), given.get("shown", [])),
            group_id=given.get("group"),
        )
        return Response(_present(request.actor, [row])[0], status=201)


class SavedViewDetailView(ApiView):
    """One saved view."""

    required_actions = {
        "GET": Action.TEMPLATE_VIEW,
        "PATCH": Action.TEMPLATE_MANAGE,
        "DELETE": Action.TEMPLATE_MANAGE,
    }

    @extend_schema(responses=SavedViewOutput)
    def get(self, request: ApiRequest, view_id: UUID) -> Response:
        """Return one view."""
        row = selectors.view_visible_to(request.actor, view_id)
        return Response(_present(request.actor, [row])[0])

    @extend_schema(request=ViewChange, responses=SavedViewOutput)
    def patch(self, request: ApiRequest, view_id: UUID) -> Response:
        """Change a view of the caller: its name, what it says, who may use it."""
        given = ViewChange.parse(request)
        if "group" in given:
            given["group_id"] = given.pop("group")
        row = services.change_view(actor=request.actor, view_id=view_id, changes=given)
        return Response(_present(request.actor, [row])[0])

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: ApiRequest, view_id: UUID) -> Response:
        """Remove a view of the caller, or one that is shared with a group of which the caller is head."""
        services.remove_view(actor=request.actor, view_id=view_id)
        return Response(status=204)


class OpeningViewView(ApiView):
    """The views with which the caller's lists open."""

    required_actions = {"PUT": Action.TEMPLATE_MANAGE}

    @extend_schema(request=OpeningInput, responses={204: None})
    def put(self, request: ApiRequest) -> Response:
        """Let a list open with a view, or with everything."""
        given = OpeningInput.parse(request)
        services.open_list_with(actor=request.actor, list_name=given["list"], view_id=given["view"])
        return Response(status=204)


def _present(actor: Actor, page: Sequence[SavedView]) -> list[Any]:
    opening = selectors.opening_views_of(actor)
    rows = [
        {
            **{name: getattr(row, name) for name in _COLUMNS},
            "is_opening": row.pk in opening,
            "may_change": selectors.may_change(actor, row),
            "may_remove": selectors.may_remove(actor, row),
        }
        for row in page
    ]
    return list(SavedViewOutput(rows, many=True).data)


_COLUMNS = ("id", "list_name", "name", "search", "hidden", "shown", "owner", "group")
