"""Who is on the other end of a long connection: asked at its start and every few seconds after."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from portal.common.actor import Actor
from portal.common.asgi import Scope, cookies, header
from portal.identity.models import User
from portal.identity.services import authenticate_token
from portal.tenancy.selectors import actor_for

RECHECK_S: Final = 4.0
"""Pause between two looks at a caller's rights; a revocation works within 5 s."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request brings along to prove who it is from."""

    session_key: str = ""
    bearer: str = ""

    @classmethod
    def of(cls, scope: Scope, session_cookie: str) -> Self:
        """Take the credentials of a request; a bearer token counts before a cookie."""
        scheme, _, secret = header(scope, b"authorization").partition(" ")
        if scheme.lower() == "bearer":
            return cls(bearer=secret.strip())
        return cls(session_key=cookies(scope).get(session_cookie, ""))


Authenticate = Callable[[Credentials], Actor | None]


def caller(credentials: Credentials) -> Actor | None:
    """Return who the credentials belong to at this moment, with present rights. Blocks."""
    if credentials.bearer:
        token = authenticate_token(credentials.bearer)
        return actor_for(token.user, token=token) if token else None
    if credentials.session_key:
        return _session_caller(credentials.session_key)
    return None


def _session_caller(session_key: str) -> Actor | None:
    """Ask Django as a request would: session row, password hash and `is_active` all count."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    user = get_user(request)
    return actor_for(user, session_key=session_key) if isinstance(user, User) else None
