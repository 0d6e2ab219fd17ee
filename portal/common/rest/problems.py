"""Error responses: RFC 9457 problem documents with code and parameters."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, InternalError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import get_language
from psycopg.errors import ReadOnlySqlTransaction
from psycopg_pool import PoolTimeout
from rest_framework import exceptions
from rest_framework.response import Response

from portal.common.errors import DeniedError, DomainError
from portal.common.middleware import get_request_id
from portal.common.reason_text import translate_reason
from portal.common.rest.etags import IF_MATCH, PreconditionError
from portal.common.translations import load_messages, translate

MEDIA_TYPE = "application/problem+json"
LINES_KEY = "berth.lines"
"""Where a request keeps the line of each field of its manifest."""
RETRY_AFTER_S = 2
"""When to try again, as an answer says that is busy."""

logger = structlog.get_logger(__name__)

FRAMEWORK_CODES: Mapping[type[Exception], str] = {
    exceptions.NotAuthenticated: "not_authenticated",
    exceptions.AuthenticationFailed: "credentials_refused",
    exceptions.PermissionDenied: "denied",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.NotAcceptable: "not_acceptable",
    exceptions.UnsupportedMediaType: "media_type_unsupported",
    exceptions.ParseError: "bad_request",
    exceptions.Throttled: "too_many_requests",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error response, without its language."""

    status: int
    code: str
    params: Mapping[str, Any]
    errors: tuple[Mapping[str, Any], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    group_id: UUID | None = None
    """Group of the object, for the audit log only."""


_BUSY = Problem(503, "busy", {}, headers=(("Retry-After", str(RETRY_AFTER_S)),))
_KNOWN_ERRORS: tuple[tuple[type[Exception], Problem], ...] = (
    (Http404, Problem(404, "not_found", {"what": "page"})),
    (PermissionDenied, Problem(403, "denied", {})),
    (RequestDataTooBig, Problem(413, "body_too_large", {})),
    (SuspiciousOperation, Problem(400, "bad_request", {})),
    (OperationalError, _BUSY),
    (InterfaceError, _BUSY),
    (PoolTimeout, _BUSY),
)
"""Exceptions of Django and the driver that are the client's to see, most specific first."""


def handle_exception(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return the response to an exception of a view; None passes unexpected ones on to Django."""
    problem = to_problem(error)
    if problem is None:
        return None
    if problem.code == "changed_by_another" and IF_MATCH in context["request"].headers:
        problem = replace(problem, status=PreconditionError.status)
    lines = context["request"].META.get(LINES_KEY)
    return Response(
        describe_for_request(context["request"], _with_lines(problem, lines) if lines else problem),
        status=problem.status,
        headers=dict(problem.headers),
        content_type=MEDIA_TYPE,
    )


def to_problem(error: Exception) -> Problem | None:
    """Return the problem that an exception means to the client; None if it is a bug of ours."""
    if isinstance(error, DomainError):
        return _from_domain(error)
    if isinstance(error, exceptions.ValidationError):
        fields = tuple(_field_errors(error.get_full_details(), ""))
        return Problem(400, "invalid_input", {}, fields)
    if isinstance(error, exceptions.APIException):
        return _from_framework(error)
    if isinstance(error, InternalError) and isinstance(error.__cause__, ReadOnlySqlTransaction):
        return _BUSY  # PostgreSQL fails over
    return next((known for kind, known in _KNOWN_ERRORS if isinstance(error, kind)), None)


def describe_for_request(request: HttpRequest, problem: Problem) -> dict[str, Any]:
    """Return the problem document in the language of the request."""
    request.META["berth.problem"] = problem
    return describe(problem, current_language(), request.path, get_request_id(request))


def _with_lines(problem: Problem, lines: Mapping[str, int]) -> Problem:
    """Return the problem with the line of each fault in the manifest that was sent."""
    errors = tuple(
        {**item, "line": line} if (line := _find_line(str(item["pointer"]), lines)) else item
        for item in problem.errors
    )
    return replace(problem, errors=errors)


def _find_line(pointer: str, lines: Mapping[str, int]) -> int | None:
    """Return the line of a field, or of the nearest one around it that the document has."""
    while pointer:
        if pointer in lines:
            return lines[pointer]
        pointer = pointer.rpartition("/")[0]
    return None


def get_problem(request: HttpRequest) -> Problem | None:
    """Return the problem with which a request was answered, or None."""
    found: Problem | None = request.META.get("berth.problem")
    return found


def describe(problem: Problem, language: str, instance: str, request_id: str) -> dict[str, Any]:
    """Return the problem document of a request to the path `instance`."""
    return {
        "type": f"urn:berth:problem:{problem.code}",
        "title": translate(language, f"status.{problem.status}", {}),
        "status": problem.status,
        "detail": _detail(language, problem.code, problem.params),
        "instance": instance,
        "code": problem.code,
        "params": dict(problem.params),
        "errors": [_with_message(language, item) for item in problem.errors],
        "request_id": request_id,
    }


def build_response(request: HttpRequest, problem: Problem) -> JsonResponse:
    """Return a problem as a plain Django response, for code outside REST views."""
    return JsonResponse(
        describe_for_request(request, problem),
        status=problem.status,
        headers=dict(problem.headers),
        content_type=MEDIA_TYPE,
        json_dumps_params={"ensure_ascii": False},
    )


def current_language() -> str:
    """Return the catalogue language of the current request."""
    return "zh-CN" if (get_language() or "").startswith("zh") else "en"


def handle_csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a request without a valid CSRF token; a view of Django."""
    logger.info("csrf.refused", reason=reason)
    return build_response(request, Problem(403, "csrf_failed", {}))


def handle_refusal(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django itself refuses: a bad request, a forbidden or an unknown address."""
    problem = to_problem(exception) or Problem(400, "bad_request", {})
    return build_response(request, problem)


def handle_server_error(request: HttpRequest) -> HttpResponse:
    """Answer after an exception outside of REST views, such as in a middleware or at sign-in.

    Django calls this while it handles the exception. What is unexpected is in the log with its
    trace, under the same request id.
    """
    error = sys.exc_info()[1]
    problem = to_problem(error) if isinstance(error, Exception) else None
    return build_response(request, problem or Problem(500, "server_error", {}))


def _from_domain(error: DomainError) -> Problem:
    if error.faults:
        fields = tuple(
            {"pointer": each.pointer, "code": each.code, "params": {**each.params, **each.titles}}
            for each in error.faults
        )
        return Problem(error.status, error.code, error.params, fields)
    pointer = error.params.get("pointer")
    if not isinstance(pointer, str):
        group_id = error.group_id if isinstance(error, DeniedError) else None
        return Problem(
            error.status, error.code, error.params, headers=error.headers, group_id=group_id
        )
    params = {name: value for name, value in error.params.items() if name != "pointer"}
    field = {"pointer": pointer, "code": error.code, "params": params}
    return Problem(error.status, error.code, params, (field,))


def _from_framework(error: exceptions.APIException) -> Problem:
    code = FRAMEWORK_CODES.get(type(error), "bad_request")
    headers: dict[str, str] = {}
    params: dict[str, Any] = {}
    if authenticate := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = authenticate
    if isinstance(error, exceptions.Throttled):
        params["wait_s"] = max(1, round(getattr(error, "wait", None) or 1))
        headers["Retry-After"] = str(params["wait_s"])
    return Problem(error.status_code, code, params, headers=tuple(headers.items()))


def _field_errors(details: Any, pointer: str) -> Iterator[Mapping[str, Any]]:
    """Yield one entry per fault of the framework's nested error details."""
    if isinstance(details, Mapping) and isinstance(details.get("code"), str):
        yield {
            "pointer": pointer,
            "code": str(details["code"]),
            "params": getattr(details["code"], "params", {}),
            "detail": str(details["message"]),
        }
    elif isinstance(details, Mapping):
        for name, inner in details.items():
            below = pointer if name == "non_field_errors" else f"{pointer}/{_escaped(str(name))}"
            yield from _field_errors(inner, below)
    elif isinstance(details, Sequence):
        for position, inner in enumerate(details):
            is_fault = isinstance(inner, Mapping) and isinstance(inner.get("code"), str)
            yield from _field_errors(inner, pointer if is_fault else f"{pointer}/{position}")


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _detail(language: str, code: str, params: Mapping[str, Any]) -> str:
    """Return the sentence of a code; a reason for waiting is worded as the pages word it."""
    return translate_reason(language, code, params) or translate(language, code, params)


def _with_message(language: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the framework's message of a field fault by ours, where there is one."""
    if reason := translate_reason(language, str(item["code"]), item["params"]):
        return {**item, "detail": reason}
    for code in (f"field.{item['code']}", str(item["code"])):
        if code in load_messages(language):
            return {**item, "detail": translate(language, code, item["params"])}
    return dict(item)
