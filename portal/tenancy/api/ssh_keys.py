"""Endpoints of the caller's own SSH keys."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import InputSerializer, NameField, NoFilters, StrictCharField
from portal.common.rest.throttling import RequestThrottle, TokenThrottle
from portal.common.rest.views import ApiRequest, ApiView
from portal.identity import ssh_keys
from portal.identity.models import SshKey


class SshKeyInput(InputSerializer):
    """A public key to add."""

    name = NameField(max_length=100)
    public_key = StrictCharField(max_length=ssh_keys.LINE_MAX)
    """The line of a `.pub` file."""


class SshKeyOutput(serializers.Serializer[Any]):
    """A key of the caller."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.CharField()
    fingerprint = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class SshKeyListView(ApiView):
    """The caller's own keys."""

    required_actions = {"GET": Action.TOKEN_MANAGE, "POST": Action.TOKEN_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(responses=SshKeyOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of keys."""
        NoFilters.parse(request)
        rows = SshKey.objects.filter(user=request.actor.user_id)
        return paginate(request, rows, lambda page: SshKeyOutput(page, many=True).data)

    @extend_schema(request=SshKeyInput, responses={201: SshKeyOutput})
    def post(self, request: ApiRequest) -> Response:
        """Add a key; it opens the caller's own running work over SSH."""
        given = SshKeyInput.parse(request)
        key = ssh_keys.add_key(actor=request.actor, name=given["name"], text=given["public_key"])
        return Response(SshKeyOutput(key).data, status=201)


class SshKeyDetailView(ApiView):
    """One key."""

    required_actions = {"DELETE": Action.TOKEN_MANAGE}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, key_id: UUID) -> Response:
        """Delete a key at once."""
        ssh_keys.remove_key(actor=request.actor, key_id=key_id)
        return Response(status=204)
