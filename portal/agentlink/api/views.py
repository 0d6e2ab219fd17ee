"""Endpoints of enrolment; all later messages of a node use its WebSocket."""

from drf_spectacular.utils import extend_schema
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from portal.administration import dataset_caches
from portal.agentlink import enrolment, registry_login, start_secrets
from portal.common.errors import InvalidError
from portal.common.rest.throttling import (
    NodeImagesThrottle,
    NodeJoinThrottle,
    NodeSecretsThrottle,
)
from portal.common.rest.views import PublicView
from portal.common.site_config import get_site_config
from portal.environments.images import node_images
from portal.inventory import node_checks
from wire.images import RegistryLoginRequest
from wire.messages import Join
from wire.node_checks import NodeChecksReport
from wire.node_datasets import NodeDatasetsReport
from wire.node_images import NodeImagesReport
from wire.secrets import SecretsRequest


class NodeJoinView(PublicView):
    """Joining; the one-time token in the body is the only credential."""

    throttle_classes = [NodeJoinThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Exchange a join token for a node key."""
        try:
            message = Join.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        return Response(enrolment.join_node(message).model_dump(), status=201)


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
        try:
            message = SecretsRequest.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        node_id = enrolment.require_node(_bearer(request))
        answer = start_secrets.reveal_for_start(node_id, message)
        return Response(answer.model_dump(), headers={"Cache-Control": "no-store"})


class NodeRegistryView(PublicView):
    """The login of a registry; the node's key is the only credential."""

    throttle_classes = [NodeSecretsThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Return the login; no cache may keep it."""
        try:
            message = RegistryLoginRequest.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        node_id = enrolment.require_node(_bearer(request))
        answer = registry_login.reveal_registry_login(node_id, message.host)
        return Response(answer.model_dump(), headers={"Cache-Control": "no-store"})


class NodeImagesView(PublicView):
    """The images of a node, and the pulls that it is ordered to do; its key is the only credential."""

    throttle_classes = [NodeImagesThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Take over the report, and return what the node is to pull."""
        try:
            message = NodeImagesReport.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        node_id = enrolment.require_node(_bearer(request))
        answer = node_images.receive_report(node_id, message, get_site_config())
        return Response(answer.model_dump())


class NodeDatasetsView(PublicView):
    """The cached data sets of a node, and what it is to cache; its key is the only credential."""

    throttle_classes = [NodeImagesThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Take over the report, and return what the node is to keep."""
        try:
            message = NodeDatasetsReport.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        node_id = enrolment.require_node(_bearer(request))
        return Response(dataset_caches.receive_report(node_id, message).model_dump())


class HostChecksView(PublicView):
    """What the doctor of a node finds on its host; its key is the only credential."""

    throttle_classes = [NodeImagesThrottle]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Take over the report."""
        try:
            message = NodeChecksReport.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        node_id = enrolment.require_node(_bearer(request))
        return Response(node_checks.receive_checks(node_id, message).model_dump())


def _bearer(request: Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")
