"""OpenAPI from the views; every operation also lists its problem responses."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.views import APIView
from typing_extensions import override

from portal.common.rest.etags import IF_MATCH, IF_NONE_MATCH
from portal.common.rest.idempotency import HEADER, KEY_LENGTH_MAX
from portal.common.rest.pagination import IdCursorPagination
from portal.common.rest.problems import MEDIA_TYPE
from portal.common.rest.serializers import InputSerializer

Direction = Literal["request", "response"]
_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_IF_MATCH = OpenApiParameter(
    IF_MATCH,
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='The tag that was read, or the version alone, as `"12"`: if it is another one now, the answer is 412.',
)
_IF_NONE_MATCH = OpenApiParameter(
    IF_NONE_MATCH,
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The tags of what is there already: if it is still so, the answer is 304.",
)
_ETAG = OpenApiParameter(
    "ETag",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="Changes with the answer; of what has a version, it begins with that.",
    response=[200],
)
_EVERYWHERE = ("400", "406", "408", "414", "429", "431", "502", "503", "504")
"""Refusals of any request: also those of the live process, before or in place of a view's."""


class FieldProblem(serializers.Serializer[Any]):
    """One fault of one field."""

    pointer = serializers.CharField()
    code = serializers.CharField()
    params = serializers.DictField()
    detail = serializers.CharField(required=False)
    line = serializers.IntegerField(required=False, help_text="In the manifest that was sent.")


class ProblemDocument(serializers.Serializer[Any]):
    """An error answer (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField()
    code = serializers.CharField()
    params = serializers.DictField()
    request_id = serializers.CharField()

    @override
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `errors`, whose name the class body cannot use."""
        return {**super().get_fields(), "errors": FieldProblem(many=True)}


def open_requests(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Say of open requests that they take further fields; a hook of the generator."""
    schemas = result["components"]["schemas"]
    for name in (
        f"{shape.__name__}Request" for shape in _below(InputSerializer) if shape.takes_others
    ):
        schemas[name]["additionalProperties"] = {}
    return result


def _below(shape: type[InputSerializer]) -> Iterator[type[InputSerializer]]:
    for each in shape.__subclasses__():
        yield each
        yield from _below(each)


class BerthSchema(AutoSchema):
    """Generates our operations: plain ids, problem responses, the idempotency header."""

    @override
    def get_operation_id(self) -> str:
        """Return `<class name in snake case>_<method>`, stable and unique."""
        name = type(self.view).__name__.removesuffix("View")
        words = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
        return f"{words.strip('_')}_{self.method.lower()}"

    @override
    def get_description(self, path: str = "", method: str = "") -> str:
        """Return the docstring of the method, or of the view if it inherits the method.

        It is called without arguments; they are there for the signature of the base in REST framework.
        """
        is_own = self.method.lower() in vars(type(self.view))
        described: str = super().get_description() if is_own else get_doc(type(self.view))
        return described

    @override
    def get_auth(self) -> list[dict[str, list[str]]]:
        """Name the two ways to sign in; settings describe them."""
        return [{"token": []}, {"session": []}] if self.view.authentication_classes else []

    @override
    def get_tags(self) -> list[str]:
        """Return the first word of the path below the version."""
        tokens = [word for word in self.path.split("/") if word and not word.startswith("{")]
        return [tokens[2]] if len(tokens) > 2 else ["platform"]

    @override
    def get_override_parameters(self) -> list[Any]:
        """Add the headers that the method honours."""
        handler = getattr(self.view, self.method.lower(), None)
        found = []
        if self.method == "POST" and hasattr(handler, "__wrapped__"):
            key = {"type": "string", "minLength": 1, "maxLength": KEY_LENGTH_MAX}
            found.append(OpenApiParameter(HEADER, key, OpenApiParameter.HEADER, required=False))
        if self.method in getattr(self.view, "versioned", ()):
            found.append(_IF_MATCH)
        if self._is_tagged():
            found += [_IF_NONE_MATCH, _ETAG]
        return found

    @override
    def _get_parameters(self) -> list[Any]:
        """Write lists of a query with commas: a name is given once."""
        found: list[Any] = super()._get_parameters()
        for parameter in found:
            if parameter["in"] == "query" and _is_list(parameter["schema"]):
                parameter["explode"] = False
        return found

    @override
    def _get_paginator(self) -> IdCursorPagination | None:
        return IdCursorPagination() if getattr(self.view, "is_paged", False) else None

    @override
    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        if self._is_tagged():
            bodies["304"] = {"description": "What `If-None-Match` names is still so."}
        problem = self.resolve_serializer(ProblemDocument, direction).ref
        for status in self._problem_statuses(self.view):
            bodies.setdefault(
                status, {"description": "Refused", "content": {MEDIA_TYPE: {"schema": problem}}}
            )
        return bodies

    def _problem_statuses(self, view: APIView) -> list[str]:
        statuses = [*_EVERYWHERE]
        if view.authentication_classes:
            statuses += ["401", "403", "404"]
        if self.method in _UNSAFE:
            statuses += ["409", "412", "413", "415", "422"]
        if getattr(view, "refuses_questions", False):
            statuses.append("422")
        return sorted(set(statuses))

    def _is_tagged(self) -> bool:
        """Return whether an answer has a tag: it is one resource, and no list, chart of rows or file."""
        is_json = not isinstance(self.get_response_serializers(), dict)
        is_resource = hasattr(self.view, "versioned") and self.method == "GET"
        return is_resource and is_json and not self._is_list_view()


def _is_list(shape: Mapping[str, Any]) -> bool:
    """Return whether a parameter takes several values."""
    return shape.get("type") == "array" or any(map(_is_list, shape.get("oneOf", ())))
