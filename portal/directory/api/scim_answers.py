"""Answers and refusals of the SCIM server."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse, JsonResponse
from pydantic import ValidationError
from scim2_models import Error, SCIMException

from portal.common.errors import ConflictError, DomainError
from portal.common.translations import translate

MEDIA_TYPE: Final = "application/scim+json"
_UNIQUENESS: Final = frozenset({"external_account_exists", "external_group_exists", "name_taken"})


def answer(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Return a SCIM message as an answer."""
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE, headers=headers)


def refusal(error: SCIMException | ValidationError | DomainError) -> HttpResponse:
    """Return what a client gets for an error."""
    found = _error_of(error)
    return answer(found.model_dump(), status=found.status or 400)


def refuse(status: int, detail: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return a refusal that has no keyword of its own."""
    return answer(Error(status=status, detail=detail).model_dump(), status, headers)


def _error_of(error: SCIMException | ValidationError | DomainError) -> Error:
    if isinstance(error, SCIMException):
        return error.to_error()
    if isinstance(error, ValidationError):
        return Error.from_validation_errors(error)[0]
    detail = translate("en", error.code, error.params)
    if error.code == "unknown_external_member":
        return Error(status=400, scim_type="invalidValue", detail=detail)
    is_taken = isinstance(error, ConflictError) and error.code in _UNIQUENESS
    return Error(status=error.status, scim_type="uniqueness" if is_taken else None, detail=detail)
