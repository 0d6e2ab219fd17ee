"""Endpoints of the nodes that have an image, and of pulling it to nodes now."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.views import ApiRequest, ApiView
from portal.images import node_images
from portal.images.models import ImagePullState
from portal.images.node_images import NodeCopy
from portal.inventory.node_choice import NodeChoiceInput
from portal.tenancy import policies


class ImagePullInput(NodeChoiceInput):
    """Where to pull an image: the nodes of a pool, or these nodes."""


class CachedImageShape(serializers.Serializer[Any]):
    """The copy of an image that a node has."""

    digest = serializers.CharField(help_text="Of its manifest; empty for one that came by hand.")
    size_bytes = serializers.IntegerField(help_text="Unpacked.")
    layers = serializers.IntegerField()
    since = serializers.DateTimeField(
        allow_null=True, help_text="When it came to the node, if that is known."
    )
    used_at = serializers.DateTimeField(
        allow_null=True, help_text="When a container was last made from it, if that is known."
    )


class ImagePullShape(serializers.Serializer[Any]):
    """An order to pull an image to one node."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=ImagePullState.values)
    progress_pct = serializers.IntegerField()
    detail = serializers.CharField(help_text="Why it failed; begins with a code.")
    requester = UserRef()
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class ImageNodeShape(serializers.Serializer[Any]):
    """A node with a container engine, and its copy of the image."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    pool = TitledRef()
    reported_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When it last listed its images; null for an agent that is older.",
    )
    cached = CachedImageShape(allow_null=True)
    pull = ImagePullShape(allow_null=True, help_text="The last one that was ordered.")


class ImageNodesShape(serializers.Serializer[Any]):
    """On which nodes an image is."""

    may_pull = serializers.BooleanField()
    nodes = ImageNodeShape(many=True)


class ImageNodesView(ApiView):
    """The nodes that have an image."""

    required_actions = {"GET": Action.NODE_VIEW}
    is_paged = False

    @extend_schema(responses=ImageNodesShape)
    def get(self, request: ApiRequest, image_id: UUID) -> Response:
        """Return every node with a container engine, and whether the image is there."""
        return Response(_present(request.actor, image_id))


class ImagePullsView(ApiView):
    """Pulls of an image to nodes."""

    required_actions = {"POST": Action.NODE_MANAGE, "DELETE": Action.NODE_MANAGE}
    is_paged = False

    @extend_schema(request=ImagePullInput, responses={202: ImageNodesShape})
    def post(self, request: ApiRequest, image_id: UUID) -> Response:
        """Order nodes to pull the image now; those that have it do nothing."""
        given = ImagePullInput.parse(request)
        node_images.order_pulls(
            actor=request.actor,
            image_id=image_id,
            node_ids=set(given.get("nodes", ())),
            pool_id=given.get("pool"),
        )
        return Response(_present(request.actor, image_id), status=202)

    @extend_schema(responses={200: ImageNodesShape})
    def delete(self, request: ApiRequest, image_id: UUID) -> Response:
        """Give up the pulls of the image that have not ended."""
        node_images.cancel_pulls(actor=request.actor, image_id=image_id)
        return Response(_present(request.actor, image_id))


def _present(actor: Actor, image_id: UUID) -> Any:
    image = node_images.image_for_nodes(actor, image_id)
    shown = {
        "may_pull": image.is_active and policies.can(actor, Action.NODE_MANAGE, None),
        "nodes": [_present_copy(copy) for copy in node_images.copies_of(actor, image)],
    }
    return ImageNodesShape(shown).data


def _present_copy(copy: NodeCopy) -> dict[str, Any]:
    cached = copy.cached and {
        **copy.cached,
        "since": from_millis(copy.cached["since"]) if copy.cached["since"] else None,
        "used_at": from_millis(copy.cached["used_at"]) if copy.cached["used_at"] else None,
    }
    return {
        "id": copy.node.pk,
        "name": copy.node.name,
        "pool": copy.node.pool,
        "reported_at": copy.reported_at,
        "cached": cached,
        "pull": copy.pull,
    }
