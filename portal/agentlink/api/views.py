"""Endpoints of enrolment; all later messages of a node use its WebSocket."""

from typing import TypeVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from portal.agentlink import enrolment, registry_login
from portal.common.errors import InvalidError
from portal.common.rest.throttling import (
    NodeImagesThrottle,
    NodeJoinThrottle,
    NodeSecretsThrottle,
)
from portal.common.rest.views import PublicView
from portal.common.site_config import get_site_config
from portal.datasets import caches
from portal.images import node_images
from portal.inventory import node_checks
from portal.workloads.operations import start_secrets
from wire.images import RegistryLoginRequest
from wire.messages import Join
from wire.node_checks import NodeChecksReport
from wire.node_datasets import NodeDatasetsReport
from wire.node_images import NodeImagesReport
from wire.secrets import Secrets, SecretsRequest
from wire.values import Message

M = TypeVar("M", bound=Message)


class NodeJoinView(PublicView):
    """Joining; the one-time token in the body is the only credential."""

    throttle_classes = [NodeJoinThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Exchange a join token for a node key."""
        return Response(enrolment.join_node(_read(request, Join)).model_dump(), status=201)


class NodeKeyView(PublicView):
    """Key rotation; the present key, as a bearer, is the only credential."""

    throttle_classes = [NodeJoinThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Return the node's next key."""
        return Response(enrolment.rotate_key(_bearer(request)).model_dump(), status=201)


class NodeSecretsView(PublicView):
    """Secrets of work that the node is about to start; its key is the only credential."""

    throttle_classes = [NodeSecretsThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Return the values; no cache may keep them."""
        node_id, message = _heard(request, SecretsRequest)
        revealed = start_secrets.reveal_for_start(node_id, (message.allocation, message.epoch))
        answer = Secrets.model_validate({"secrets": revealed}, from_attributes=True)
        return Response(answer.model_dump(), headers={"Cache-Control": "no-store"})


class NodeRegistryView(PublicView):
    """The login of a registry; the node's key is the only credential."""

    throttle_classes = [NodeSecretsThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Return the login; no cache may keep it."""
        node_id, message = _heard(request, RegistryLoginRequest)
        answer = registry_login.reveal_registry_login(node_id, message.host)
        return Response(answer.model_dump(), headers={"Cache-Control": "no-store"})


class NodeImagesView(PublicView):
    """The images of a node, and the pulls that it is ordered to do; its key is the only credential."""

    throttle_classes = [NodeImagesThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Take over the report, and return what the node is to pull."""
        node_id, message = _heard(request, NodeImagesReport)
        answer = node_images.receive_report(node_id, message, get_site_config())
        return Response(answer.model_dump())


class NodeDatasetsView(PublicView):
    """The cached data sets of a node, and what it is to cache; its key is the only credential."""

    throttle_classes = [NodeImagesThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Take over the report, and return what the node is to keep."""
        node_id, message = _heard(request, NodeDatasetsReport)
        return Response(caches.receive_report(node_id, message).model_dump())


class HostChecksView(PublicView):
    """What the doctor of a node finds on its host; its key is the only credential."""

    throttle_classes = [NodeImagesThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Take over the report."""
        node_id, message = _heard(request, NodeChecksReport)
        return Response(node_checks.receive_checks(node_id, message).model_dump())


def _heard(request: Request, kind: type[M]) -> tuple[UUID, M]:
    """Return which node speaks, and what it says: its key is looked at before the body."""
    node_id = enrolment.require_node(_bearer(request))
    return node_id, _read(request, kind)


def _read(request: Request, kind: type[M]) -> M:
    try:
        return kind.model_validate(request.data)
    except ValidationError as error:
        raise InvalidError("bad_message", count=error.error_count()) from error


def _bearer(request: Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")
