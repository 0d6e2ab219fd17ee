"""Endpoints of nodes, their cards and the tokens with which they join."""

from functools import partial
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.notifications import ROWS_MAX
from portal.common.rest.pagination import paginate
from portal.common.rest.projection import project
from portal.common.rest.serializers import (
    CommaListField,
    IdField,
    InputSerializer,
    NoFilters,
    PatternField,
    QuerySerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.fleet.node_work import NodeWorkShape, present_node_work, work_on_node
from portal.fleet.presentation import present_nodes
from portal.fleet.shapes import NodeChecksOutput, NodeOutput
from portal.inventory import selectors, services
from portal.inventory.node_checks import checks_visible_to
from portal.workloads.operations import nodes


class NodeQuery(QuerySerializer):
    """Which nodes are listed."""

    ids = CommaListField(
        child=IdField(),
        max_length=ROWS_MAX,
        required=False,
        help_text="Only these nodes, with commas between their ids.",
    )


class DrainInput(InputSerializer):
    """How long a drain waits, and what it does then."""

    within_s = StrictIntegerField(required=False, allow_null=True, max_value=30 * 24 * 3600)
    stops_all = StrictBooleanField(required=False)


class DeclareLostInput(InputSerializer):
    """The name of the node, so that no other one is meant."""

    name = StrictCharField(max_length=63)


class JoinTokenInput(InputSerializer):
    """A request for a token with which one named node may join a pool."""

    node_name = PatternField(
        r"^[a-z0-9][a-z0-9-]{0,62}$", fault="short_name_not_allowed", max_length=63
    )
    pool = IdField()


class JoinTokenOutput(serializers.Serializer[Any]):
    """The one-time token with which the agent is started."""

    token = serializers.CharField()
    expires_at = serializers.DateTimeField()


class NodeListView(ApiView):
    """Nodes with their cards and the work on them."""

    required_actions = {"GET": Action.NODE_VIEW}

    @extend_schema(parameters=[NodeQuery], responses=NodeOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of nodes."""
        asked = NodeQuery.parse(request)
        found = selectors.nodes_visible_to(request.actor)
        return paginate(
            request,
            found.filter(pk__in=asked["ids"]) if "ids" in asked else found,
            lambda page: present_nodes(request.actor, page),
        )


class NodeDetailView(ApiView):
    """One node."""

    required_actions = {"GET": Action.NODE_VIEW}

    @extend_schema(responses=NodeOutput)
    def get(self, request: ApiRequest, node_id: UUID) -> Response:
        """Return one node with its cards."""
        return Response(_present(request, node_id))


class NodeWorkView(ApiView):
    """The work on one node."""

    required_actions = {"GET": Action.NODE_VIEW}

    @extend_schema(responses=NodeWorkShape(many=True))
    def get(self, request: ApiRequest, node_id: UUID) -> Response:
        """List what holds something of the node now, the newest first."""
        NoFilters.parse(request)
        node = selectors.node_visible_to(request.actor, node_id)
        return paginate(request, work_on_node(node), partial(present_node_work, request.actor))


class NodeChecksView(ApiView):
    """What the doctor of a node finds on its host."""

    required_actions = {"GET": Action.NODE_MANAGE}
    is_paged = False

    @extend_schema(responses=NodeChecksOutput)
    def get(self, request: ApiRequest, node_id: UUID) -> Response:
        """Return the node's last report; without a time if it has sent none."""
        NoFilters.parse(request)
        found = checks_visible_to(request.actor, node_id)
        return Response(project(NodeChecksOutput, found or {"reported_at": None, "checks": []}))


class NodeCordonView(ApiView):
    """Cordoning a node."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Place no new work on the node; running work goes on."""
        nodes.cordon_node(actor=request.actor, node_id=node_id)
        return Response(_present(request, node_id))


class NodeDrainView(ApiView):
    """Draining a node."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=DrainInput, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Place no new work on the node; it is drained when its last container has ended."""
        given = DrainInput.parse(request)
        how = nodes.DrainOptions(given.get("within_s"), stops_all=given.get("stops_all", False))
        nodes.drain_node(actor=request.actor, node_id=node_id, how=how)
        return Response(_present(request, node_id))


class NodeUncordonView(ApiView):
    """Returning a node to service."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Allow new work on a cordoned, draining or drained node again."""
        nodes.uncordon_node(actor=request.actor, node_id=node_id)
        return Response(_present(request, node_id))


class NodeRetireView(ApiView):
    """Retiring a node."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses={204: None})
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Retire a drained or lost node permanently; its key is revoked."""
        nodes.retire_node(actor=request.actor, node_id=node_id)
        return Response(status=204)


class NodeDeclareLostView(ApiView):
    """Declaring a silent node lost."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=DeclareLostInput, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Give up the work of a silent node of which nothing runs any more."""
        name = DeclareLostInput.parse(request)["name"]
        nodes.declare_node_lost(actor=request.actor, node_id=node_id, name=name)
        return Response(_present(request, node_id))


class CardRetestView(ApiView):
    """Retesting a card that was taken out of service."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID, card_id: UUID) -> Response:
        """Order a retest of the card; `is_retest_due` is true until its node has done it."""
        nodes.retest_card(actor=request.actor, node_id=node_id, card_id=card_id)
        return Response(_present(request, node_id))


class JoinTokenListView(ApiView):
    """Join tokens."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=JoinTokenInput, responses={201: JoinTokenOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create a one-time token for one named node; only this response contains it."""
        given = JoinTokenInput.parse(request)
        issued = services.create_join_token(
            actor=request.actor,
            node_name=given["node_name"],
            pool=selectors.pool_visible_to(request.actor, given["pool"]),
        )
        shown = {"token": issued.secret, "expires_at": issued.row.expires_at}
        return Response(JoinTokenOutput(shown).data, status=201)


def _present(request: ApiRequest, node_id: UUID) -> dict[str, Any]:
    [shown] = present_nodes(request.actor, [selectors.node_visible_to(request.actor, node_id)])
    return shown
