"""Doors to nodes and their cards."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.pagination import paginate
from portal.common.serializers import NoFilters
from portal.common.views import ApiRequest, ApiView
from portal.fleet.api.serializers import DrainInput, JoinTokenInput, JoinTokenOutput, NodeOutput
from portal.fleet.presentation import present_nodes
from portal.inventory import selectors, services
from portal.workloads.operations import nodes


class NodeListView(ApiView):
    """Nodes with their cards and who holds them."""

    required_actions = {"GET": Action.NODE_VIEW}

    @extend_schema(responses=NodeOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of nodes."""
        NoFilters.parse(request)
        return paginate(
            request,
            selectors.nodes_visible_to(request.actor),
            lambda page: NodeOutput(present_nodes(request.actor, page), many=True).data,
        )


class NodeDetailView(ApiView):
    """One node."""

    required_actions = {"GET": Action.NODE_VIEW}

    @extend_schema(responses=NodeOutput)
    def get(self, request: ApiRequest, node_id: UUID) -> Response:
        """Return one node with its cards."""
        return Response(_shown(request, node_id))


class NodeCordonView(ApiView):
    """Keep new work away from a node."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Give the node no new work; what runs goes on."""
        nodes.cordon_node(actor=request.actor, node_id=node_id)
        return Response(_shown(request, node_id))


class NodeDrainView(ApiView):
    """Take a node out of service gently."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=DrainInput, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Give the node no new work, and wait until nothing of it lives."""
        given = DrainInput.parse(request)
        how = nodes.DrainOptions(given.get("within_s"), stops_all=given.get("stops_all", False))
        nodes.drain_node(actor=request.actor, node_id=node_id, how=how)
        return Response(_shown(request, node_id))


class NodeUncordonView(ApiView):
    """Take a node back into service."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Let a cordoned, draining or drained node take work again."""
        nodes.uncordon_node(actor=request.actor, node_id=node_id)
        return Response(_shown(request, node_id))


class NodeRetireView(ApiView):
    """Take a node out of service for good."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses={204: None})
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Retire a drained or lost node; its key is dead from now on."""
        nodes.retire_node(actor=request.actor, node_id=node_id)
        return Response(status=204)


class CardRetestView(ApiView):
    """Let a card that was taken out of service prove itself."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=None, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID, card_id: UUID) -> Response:
        """Have the node judge the card anew; the card says `is_retest_due` until it has."""
        nodes.retest_card(actor=request.actor, node_id=node_id, card_id=card_id)
        return Response(_shown(request, node_id))


class JoinTokenListView(ApiView):
    """Leave for nodes to join."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=JoinTokenInput, responses={201: JoinTokenOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create a one-time token for one named node; it is in this answer only."""
        given = JoinTokenInput.parse(request)
        issued = services.create_join_token(
            actor=request.actor,
            node_name=given["node_name"],
            pool=selectors.pool_visible_to(request.actor, given["pool"]),
        )
        shown = {"token": issued.secret, "expires_at": issued.row.expires_at}
        return Response(JoinTokenOutput(shown).data, status=201)


def _shown(request: ApiRequest, node_id: UUID) -> object:
    [shown] = present_nodes(request.actor, [selectors.node_visible_to(request.actor, node_id)])
    return NodeOutput(shown).data
