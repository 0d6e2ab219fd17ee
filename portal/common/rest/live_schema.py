"""OpenAPI of the endpoints that the live process answers itself, from the tables that its router has."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final

from drf_spectacular.plumbing import ResolvedComponent
from pydantic.json_schema import models_json_schema
from rest_framework.views import APIView
from typing_extensions import override

from portal.common.frames import SocketFrames
from portal.common.rest.live_endpoints import REFUSALS, LiveEndpoint, LiveOperation
from portal.common.rest.schema import BerthSchema
from portal.common.rest.views import ApiView

Described = tuple[str, str, str, Callable[..., Any]]
"""Path, route, method and view, as the generator of the document takes them."""
_COMPONENT: Final = "#/components/schemas/{model}"
_Component: Final[Any] = ResolvedComponent
_PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")


class LiveSchema(BerthSchema):
    """Generates the operation that a view stands for."""

    @property
    def _of(self) -> LiveOperation[Any]:
        view: Any = self.view
        operation: LiveOperation[Any] = view.operation
        return operation

    @override
    def get_operation_id(self) -> str:
        """Return the id that the table gives."""
        return self._of.id

    @override
    def get_description(self, path: str = "", method: str = "") -> str:
        """Return the description that the table gives."""
        return self._of.description

    @override
    def get_auth(self) -> list[dict[str, list[str]]]:
        """Name the ways to sign in, where that is needed."""
        return [] if self._of.is_public else super().get_auth()

    @override
    def get_override_parameters(self) -> list[Any]:
        """Return query and headers."""
        return list(self._of.parameters)

    @override
    def get_request_serializer(self) -> Any:
        """Return the shapes of the body by media type."""
        return dict(self._of.request)

    @override
    def get_response_serializers(self) -> Any:
        """Return the shapes of the answers that are no refusals."""
        return dict(self._of.responses)

    @override
    def get_extensions(self) -> dict[str, Any]:
        """Say what passes through a WebSocket, which OpenAPI has no words for."""
        frames = self._of.frames
        return {"x-websocket": self._describe(frames)} if frames else {}

    @override
    def _problem_statuses(self, view: APIView) -> list[str]:
        return sorted(map(str, {*REFUSALS, *self._of.refusals}))

    def _describe(self, frames: SocketFrames) -> dict[str, Any]:
        _, found = models_json_schema(frames.models(), ref_template=_COMPONENT)
        for name, shape in found["$defs"].items():
            part: Any = _Component(name, _Component.SCHEMA, shape, object=name)
            self.registry.register_on_missing(part)
        sides = {"fromClient": frames.from_client, "toClient": frames.to_client}
        described: dict[str, Any] = {
            side: {"oneOf": [{"$ref": _COMPONENT.format(model=each.__name__)} for each in models]}
            for side, models in sides.items()
        }
        if frames.binary:
            described["binary"] = frames.binary
        return {
            **described,
            "closeCodes": {str(code): why for code, why in frames.close_codes.items()},
        }


class DescribedView(ApiView):
    """Stands for an operation while the document is generated; nothing is served by it."""

    schema = LiveSchema()
    operation: ClassVar[LiveOperation[Any]]
    is_paged = False


def describe_endpoints(endpoints: Iterable[LiveEndpoint[Any]]) -> Iterator[Described]:
    """Yield every operation in the form in which the generator of the document finds those of Django."""
    for endpoint in endpoints:
        for method, operation in endpoint.operations.items():
            yield path_of(endpoint), endpoint.route, method, _view_of(method, operation).as_view()


def path_of(endpoint: LiveEndpoint[Any]) -> str:
    """Return the path of an endpoint as the document writes it."""
    return "/" + _PARAMETER.sub(r"{\1}", endpoint.route)


def _view_of(method: str, operation: LiveOperation[Any]) -> type[DescribedView]:
    contents: Mapping[str, Any] = {"operation": operation, method.lower(): _serve_nothing}
    return type(operation.id, (DescribedView,), dict(contents))


def _serve_nothing(_view: DescribedView) -> None:
    """Stand for the method of an operation."""
