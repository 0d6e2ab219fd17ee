"""Who is behind a long connection: read at its start and again every few seconds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from portal.common.actor import Actor
from portal.common.asgi.types import Scope, get_header, parse_cookies
from portal.common.rest.problems import Problem
from portal.identity.models import User
from portal.identity.services import authenticate_token
from portal.tenancy.actors import load_actor

RECHECK_S: Final = 4.0
"""Pause between two checks of a caller's rights; a revocation takes effect within 5 s."""
UNAUTHENTICATED: Final = Problem(
    401, "not_authenticated", {}, headers=(("WWW-Authenticate", 'Bearer realm="berth"'),)
)
FOREIGN_PAGE: Final = Problem(403, "csrf_failed", {})
"""Browsers send cookies with requests of other sites' pages, too."""


@dataclass(frozen=True, slots=True)
class RequestCredentials:
    """The session cookie or bearer token of a request; both empty for an anonymous one."""

    session_key: str = ""
    bearer: str = ""

    @classmethod
    def from_scope(cls, scope: Scope, session_cookie: str) -> Self:
        """Read the credentials of a request; a bearer token counts before a cookie."""
        scheme, _, secret = get_header(scope, b"authorization").partition(" ")
        if scheme.lower() == "bearer":
            return cls(bearer=secret.strip())
        return cls(session_key=parse_cookies(scope).get(session_cookie, ""))


Authenticate = Callable[[RequestCredentials], Actor | None]


def authenticate(credentials: RequestCredentials) -> Actor | None:
    """Return the actor of the credentials with its present rights, or None. Blocks."""
    if credentials.bearer:
        token = authenticate_token(credentials.bearer)
        return load_actor(token.user, token=token) if token else None
    if credentials.session_key:
        return _authenticate_session(credentials.session_key)
    return None


def _authenticate_session(session_key: str) -> Actor | None:
    """Check a session as Django does for a request: session row, password hash, `is_active`."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    user = get_user(request)
    return load_actor(user, session_key=session_key) if isinstance(user, User) else None
