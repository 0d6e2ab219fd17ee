"""Endpoints of the overview, of the map of cards and of the history of nodes."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.projection import project
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.metering.recent import RecentUse
from portal.overview import card_map, selectors
from portal.overview.api.serializers import (
    CardMapShape,
    CardValuesShape,
    DayShape,
    FirstStepsShape,
    NearLimitsShape,
    NodeHistoryShape,
    OverviewShape,
    OverviewWaitsShape,
    RecentDaysShape,
    SearchQuery,
    SearchShape,
)
from portal.overview.day import day_visible_to
from portal.overview.first_steps import first_steps_of
from portal.overview.near_limits import near_limits_visible_to
from portal.overview.node_history import history_visible_to
from portal.overview.search import hits_visible_to
from portal.overview.waits import waits_visible_to

_MS_PER_S = 1000


class OverviewView(ApiView):
    """The cluster at a glance."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False

    @extend_schema(responses=OverviewShape)
    def get(self, request: ApiRequest) -> Response:
        """Return problems, holders and idle GPUs: of all, or of own groups."""
        NoFilters.parse(request)
        return Response(project(OverviewShape, selectors.overview_visible_to(request.actor)))


class WaitsView(ApiView):
    """Who waits, and why."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False

    @extend_schema(responses=OverviewWaitsShape)
    def get(self, request: ApiRequest) -> Response:
        """Return how much waits by pool, reason and group: of all, or of own groups."""
        NoFilters.parse(request)
        return Response(project(OverviewWaitsShape, waits_visible_to(request.actor)))


class NearLimitsView(ApiView):
    """What is near its limit."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False

    @extend_schema(responses=NearLimitsShape)
    def get(self, request: ApiRequest) -> Response:
        """Return quotas, budgets, disks and volumes of which most is used: of all, or of own groups."""
        NoFilters.parse(request)
        return Response(project(NearLimitsShape, near_limits_visible_to(request.actor)))


class RecentDaysView(ApiView):
    """The last 24 hours."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False

    @extend_schema(responses=RecentDaysShape)
    def get(self, request: ApiRequest) -> Response:
        """Return what was held and used, what ended and how long starts waited, in 2 × 24 hours."""
        NoFilters.parse(request)
        last, before = selectors.recent_use_visible_to(request.actor)
        return Response(RecentDaysShape({"last": _in_s(last), "before": _in_s(before)}).data)


class DayView(ApiView):
    """The last 24 hours as curves."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False

    @extend_schema(responses=DayShape)
    def get(self, request: ApiRequest) -> Response:
        """Return GPUs held and used and work that waited, every 15 minutes: of all, or of own groups."""
        NoFilters.parse(request)
        return Response(project(DayShape, day_visible_to(request.actor)))


class CardMapView(ApiView):
    """Every GPU with its place and holders."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False

    @extend_schema(responses=CardMapShape)
    def get(self, request: ApiRequest) -> Response:
        """Return all cards as columns, with the work on them as far as the caller may see it."""
        NoFilters.parse(request)
        return Response(project(CardMapShape, card_map.card_map_visible_to(request.actor)))


class CardValuesView(ApiView):
    """What every GPU measures now."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False

    @extend_schema(responses=CardValuesShape)
    def get(self, request: ApiRequest) -> Response:
        """Return use, memory, power and temperature of all cards, in the order of the map."""
        NoFilters.parse(request)
        return Response(project(CardValuesShape, card_map.card_values_visible_to(request.actor)))


class NodeHistoryView(ApiView):
    """What has happened to a node."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False

    @extend_schema(responses=NodeHistoryShape)
    def get(self, request: ApiRequest, node_id: UUID) -> Response:
        """Return the newest events of a node and its cards, to the platform's staff."""
        NoFilters.parse(request)
        events = history_visible_to(request.actor, node_id)
        return Response(project(NodeHistoryShape, {"events": events}))


class FirstStepsView(ApiView):
    """What somebody new has done already."""

    required_actions = {"GET": Action.ME_VIEW}
    is_paged = False

    @extend_schema(responses=FirstStepsShape)
    def get(self, request: ApiRequest) -> Response:
        """Return which first steps the caller has taken."""
        NoFilters.parse(request)
        return Response(FirstStepsShape(first_steps_of(request.actor)).data)


class SearchView(ApiView):
    """Things of all kinds, by their names."""

    required_actions = {"GET": Action.ME_VIEW}
    is_paged = False

    @extend_schema(parameters=[SearchQuery], responses=SearchShape)
    def get(self, request: ApiRequest) -> Response:
        """Return people, nodes, data sets, images and work that the caller may see, a few of each kind."""
        text = SearchQuery.parse(request)["text"]
        return Response(SearchShape({"hits": hits_visible_to(request.actor, text)}).data)


def _in_s(use: RecentUse) -> Mapping[str, Any]:
    return {
        **{name: getattr(use, name) for name in RecentUse.__slots__},
        "gpu_milli_s": use.gpu_milli_ms // _MS_PER_S,
        "sampled_milli_s": use.sampled_milli_ms // _MS_PER_S,
        "idle_milli_s": use.idle_milli_ms // _MS_PER_S,
        "busy_milli_s": use.busy_milli_ms // _MS_PER_S,
    }
