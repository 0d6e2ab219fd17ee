"""The part of a request that says which nodes something is meant for."""

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.common.rest.serializers import FieldFault, IdField, InputSerializer

NODES_CHOSEN_MAX: Final = 512
"""Nodes that one request names."""


class NodeChoiceInput(InputSerializer):
    """The nodes of a pool, or these nodes."""

    pool = IdField(required=False)
    nodes = serializers.ListField(child=IdField(), max_length=NODES_CHOSEN_MAX, required=False)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require one of both."""
        if ("pool" in attrs) == bool(attrs.get("nodes")):
            raise ValidationError({"nodes": [FieldFault("nodes_or_pool")]})
        return attrs
