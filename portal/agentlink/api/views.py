"""The door through which a new node comes in; every later word goes over its socket."""

from drf_spectacular.utils import extend_schema
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from portal.agentlink import enrolment
from portal.common.errors import InvalidError
from portal.common.throttling import NodeJoins
from portal.common.views import PublicView
from wire.messages import Join


class NodeJoinView(PublicView):
    """Joining: the one-time token in the body is the only credential."""

    throttle_classes = [NodeJoins]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Swap a join token for a node key."""
        try:
            message = Join.model_validate(request.data)
        except ValidationError as error:
            raise InvalidError("bad_message", count=error.error_count()) from error
        return Response(enrolment.join(message).model_dump(), status=201)


class NodeKeyView(PublicView):
    """Changing the key: the present one, as a bearer, is the only credential."""

    throttle_classes = [NodeJoins]

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Give a node its next key."""
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return Response(enrolment.rotate(bearer).model_dump(), status=201)
