"""Authentication of REST requests by bearer token or session cookie.

Rights are read from the database for every request.
"""

from typing import Any

import structlog
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request
from typing_extensions import override

from portal.common.errors import DeniedError
from portal.common.middleware import get_request_id
from portal.identity.models import ApiToken, User
from portal.identity.services import authenticate_token
from portal.tenancy.actors import load_actor


class BearerTokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer berth_…`; a token that is not valid now ends the request with 401."""

    @override
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return user and token, or None when the request carries no bearer token."""
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        token = authenticate_token(secret.decode("ascii", "replace").strip())
        if token is None:
            raise AuthenticationFailed
        _set_actor(request, token.user, token=token)
        return token.user, token

    @override
    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401 answer."""
        return 'Bearer realm="berth"'


class PortalSessionAuthentication(SessionAuthentication):
    """The browser's session cookie; unsafe methods also need the CSRF token."""

    @override
    def authenticate(self, request: Request) -> tuple[User, None] | None:
        """Return the signed-in user, or None when there is no valid session."""
        inner = _django_request(request)
        user = getattr(inner, "user", AnonymousUser())
        if not isinstance(user, User) or not user.is_active:
            return None
        self._require_csrf(request)
        _set_actor(request, user, session_key=inner.session.session_key or "")
        return user, None

    def _require_csrf(self, request: Request) -> None:
        try:
            self.enforce_csrf(request)
        except PermissionDenied as error:
            raise DeniedError("csrf_failed") from error


def _set_actor(
    request: Request, user: User, *, token: ApiToken | None = None, session_key: str = ""
) -> None:
    actor = load_actor(
        user,
        token=token,
        session_key=session_key,
        request_id=get_request_id(_django_request(request)),
        address=str(request.META.get("REMOTE_ADDR", "")),
    )
    structlog.contextvars.bind_contextvars(actor=actor.name)
    declared_by_api_request: Any = request
    declared_by_api_request.actor = actor
    request.META["berth.actor"] = actor


def _django_request(request: Request) -> HttpRequest:
    """Return Django's request; `portal.common.rest.views` cannot be imported this early."""
    inner: HttpRequest = request._request
    return inner
