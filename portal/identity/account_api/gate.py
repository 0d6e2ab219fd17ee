"""The gate before the account API: named methods and read bodies only, and problems for all others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from typing import Any, ClassVar, Final

from allauth.headless.base.views import APIView
from allauth.headless.constants import Client
from django.http import Http404, HttpRequest, HttpResponseBase
from rest_framework.exceptions import Throttled, UnsupportedMediaType, ValidationError

from portal.common.errors import DomainError
from portal.common.rest.parsing import StrictJSONParser, TooLargeError
from portal.common.rest.problems import build_response, to_problem
from portal.common.rest.serializers import InputSerializer
from portal.identity import known_browsers, sign_in_attempts

BODY_MAX: Final = 16 * 1024
"""Bytes of a body; a passkey is the largest."""
_TOO_MANY: Final = 429
_REFUSALS: Final = (DomainError, ValidationError, UnsupportedMediaType, Throttled)


@dataclass(frozen=True, slots=True)
class AccountEndpoint:
    """An address of the account API, and what each of its methods takes."""

    path: str
    name: str
    view: type[APIView]
    bodies: Mapping[str, type[InputSerializer]]
    """By method; what is not here does not exist."""
    per_minute: int = 0
    """Requests by each method of one known browser, or else of one address; 0 where the library counts by person."""


class CheckedBodies:
    """Hands to a view of the library what has been read strictly, when it asks for the body."""

    bodies: ClassVar[Mapping[str, type[InputSerializer]]]

    def _parse_json(self, request: HttpRequest) -> dict[str, Any]:
        return self.bodies[str(request.method)].parse_body(_read(request))


def guard(endpoint: AccountEndpoint) -> Callable[..., HttpResponseBase]:
    """Return the view of an endpoint, behind the gate."""
    checked: Any = type(
        endpoint.view.__name__, (CheckedBodies, endpoint.view), {"bodies": endpoint.bodies}
    )
    return partial(_answer, endpoint, checked.as_api_view(client=Client.BROWSER))


def _answer(
    endpoint: AccountEndpoint, view: Callable[..., HttpResponseBase], request: HttpRequest
) -> HttpResponseBase:
    if request.method not in endpoint.bodies:
        raise Http404
    try:
        if endpoint.per_minute:
            action = f"{endpoint.name}_{request.method}"
            sign_in_attempts.require_within(request, action, endpoint.per_minute)
        response = view(request)
        if response.status_code == _TOO_MANY:
            raise Throttled(wait=sign_in_attempts.ASK_AGAIN_S)
    except _REFUSALS as error:
        problem = to_problem(error)
        if problem is None:
            raise
        return build_response(request, problem)
    known_browsers.remember(request, response)
    return response


def _read(request: HttpRequest) -> dict[str, Any]:
    """Return the body, empty where there is none."""
    if request.META.get("CONTENT_LENGTH") in (None, "", "0"):
        return {}
    if request.content_type != "application/json":
        raise UnsupportedMediaType(str(request.content_type))
    body = request.body
    if len(body) > BODY_MAX:
        raise TooLargeError("body_too_large", limit=BODY_MAX)
    return StrictJSONParser().parse(BytesIO(body), request.META["CONTENT_TYPE"])
