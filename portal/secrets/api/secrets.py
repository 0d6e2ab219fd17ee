"""Endpoints of secrets: values go in and are never shown again."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NoFilters,
    PatternField,
    QuerySerializer,
    StrictCharField,
)
from portal.common.rest.throttling import RequestThrottle, TokenThrottle
from portal.common.rest.views import ApiRequest, ApiView
from portal.secrets import services
from portal.secrets.models import Secret
from portal.secrets.selectors import secret_for_owner, secrets_visible_to
from portal.tenancy import policies
from wire.secrets import SECRET_BYTES_MAX


class SecretChange(InputSerializer):
    """A new value."""

    value = StrictCharField(
        max_length=SECRET_BYTES_MAX, trim_whitespace=False, style={"input_type": "password"}
    )
    """Kept as it is, blanks and line ends included."""


class SecretInput(SecretChange):
    """A secret of the caller, or of a group that the caller administers."""

    name = PatternField(
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$", fault="secret_name_not_allowed", max_length=63
    )
    group = IdField(allow_null=True, default=None)
    """Null: the caller's own."""


class SecretDeletion(QuerySerializer):
    """Whether work that names the secret may lose it."""

    force = serializers.BooleanField(required=False)


class SecretOutput(serializers.Serializer[Any]):
    """A secret without its value."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    group = TitledRef(allow_null=True)
    """Null: the caller's own."""
    value_bytes = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    may_change = serializers.BooleanField()


class SecretListView(ApiView):
    """The caller's own secrets, and those of groups in which the caller submits work."""

    required_actions = {"GET": Action.SECRETS_VIEW, "POST": Action.SECRETS_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(responses=SecretOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of secrets, by name and without values."""
        NoFilters.parse(request)
        rows = secrets_visible_to(request.actor)
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=SecretInput, responses={201: SecretOutput})
    def post(self, request: ApiRequest) -> Response:
        """Store a secret."""
        given = SecretInput.parse(request)
        secret = services.create_secret(
            actor=request.actor, group_id=given["group"], name=given["name"], value=given["value"]
        )
        return Response(_present(request.actor, [secret])[0], status=201)


class SecretDetailView(ApiView):
    """One secret."""

    required_actions = {"PUT": Action.SECRETS_MANAGE, "DELETE": Action.SECRETS_MANAGE}
    throttle_classes = [RequestThrottle, TokenThrottle]

    @extend_schema(request=SecretChange, responses=SecretOutput)
    def put(self, request: ApiRequest, secret_id: UUID) -> Response:
        """Replace the value; work gets it from its next start on."""
        secret_for_owner(request.actor, secret_id)
        value = SecretChange.parse(request)["value"]
        secret = services.change_secret(actor=request.actor, secret_id=secret_id, value=value)
        return Response(_present(request.actor, [secret])[0])

    @extend_schema(parameters=[SecretDeletion], responses={204: None})
    def delete(self, request: ApiRequest, secret_id: UUID) -> Response:
        """Delete a secret; unless `force` is true, not while work that may start again names it."""
        is_forced = SecretDeletion.parse(request).get("force", False)
        services.delete_secret(actor=request.actor, secret_id=secret_id, is_forced=is_forced)
        return Response(status=204)


def _present(actor: Actor, page: Iterable[Secret]) -> list[Any]:
    rows = [
        {
            "id": row.pk,
            "name": row.name,
            "group": row.group,
            "value_bytes": row.value_bytes,
            "created_at": row.created_at,
            "changed_at": row.changed_at,
            "last_used_at": row.last_used_at,
            "may_change": row.group_id is None
            or policies.can(actor, Action.SECRETS_MANAGE, row.group_id),
        }
        for row in page
    ]
    return list(SecretOutput(rows, many=True).data)
