"""Endpoints of the logins of registries other than the platform's, for platform administrators."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.pagination import paginate
from portal.common.rest.refs import UserRef
from portal.common.rest.serializers import (
    InputSerializer,
    NoFilters,
    PatternField,
    StrictCharField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.images import registries
from portal.images.models import REGISTRY_HOST_MAX

_LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?"
HOST = rf"^((localhost|{_LABEL}(\.{_LABEL})+)(:[0-9]{{1,5}})?|{_LABEL}:[0-9]{{1,5}})$"
"""What references begin with: a name with a dot, a port, or both."""
PASSWORD_MAX = 4096
"""Characters of a password or token of a registry."""


class RegistryChange(InputSerializer):
    """A new login of a registry."""

    username = StrictCharField(max_length=200)
    password = StrictCharField(
        max_length=PASSWORD_MAX,
        trim_whitespace=False,
        help_text="A password or token; it is stored encrypted and never shown again.",
    )


class RegistryInput(RegistryChange):
    """A registry and its login."""

    host = PatternField(
        HOST,
        fault="registry_host_not_allowed",
        max_length=REGISTRY_HOST_MAX,
        help_text="As references name it, with its port; `docker.io` for those without a host.",
    )


class RegistryShape(serializers.Serializer[Any]):
    """A registry that has a login. The password is never shown."""

    id = serializers.UUIDField()
    host = serializers.CharField()
    username = serializers.CharField()
    changed_at = serializers.DateTimeField()
    changed_by = UserRef(allow_null=True)
    last_used_at = serializers.DateTimeField(
        allow_null=True, help_text="When a node last got the login."
    )


class RegistryListView(ApiView):
    """Registries from which nodes pull with a login."""

    required_actions = {"GET": Action.IMAGE_MANAGE, "POST": Action.IMAGE_MANAGE}

    @extend_schema(responses=RegistryShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of registries that have a login."""
        NoFilters.parse(request)
        rows = registries.registries_visible_to(request.actor)
        return paginate(request, rows, lambda page: list(RegistryShape(page, many=True).data))

    @extend_schema(request=RegistryInput, responses={201: RegistryShape})
    def post(self, request: ApiRequest) -> Response:
        """Store the login of a registry; nodes pull from there with it from now on."""
        row = registries.add_registry(actor=request.actor, **RegistryInput.parse(request))
        return Response(RegistryShape(row).data, status=201)


class RegistryDetailView(ApiView):
    """The login of one registry."""

    required_actions = {"PUT": Action.IMAGE_MANAGE, "DELETE": Action.IMAGE_MANAGE}

    @extend_schema(request=RegistryChange, responses=RegistryShape)
    def put(self, request: ApiRequest, registry_id: UUID) -> Response:
        """Replace the login."""
        row = registries.change_registry(
            actor=request.actor, registry_id=registry_id, **RegistryChange.parse(request)
        )
        return Response(RegistryShape(row).data)

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, registry_id: UUID) -> Response:
        """Delete the login; images from there are pulled without one."""
        registries.remove_registry(actor=request.actor, registry_id=registry_id)
        return Response(status=204)
