"""Adapter of django-allauth: administrators create accounts, nobody signs up."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest
from typing_extensions import override

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.middleware import get_request_id
from portal.identity.models import User

_NAME_LENGTH_MAX = 32


class AccountAdapter(DefaultAccountAdapter):
    """Sign-in only; every attempt is written to the audit log."""

    @override
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Refuse sign-up everywhere."""
        return False

    @override
    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that `ClientAddressMiddleware` has set."""
        return str(request.META["REMOTE_ADDR"])

    @override
    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        """Open the session and record it."""
        super().login(request, user)
        if isinstance(user, User):
            audit.record_event(
                actor=_actor(request, user),
                action="session.open",
                object_type="user",
                object_id=user.pk,
                params={"username": user.username},
            )

    @override
    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Record the failed attempt, with the name that was tried."""
        tried = str(credentials.get("username", ""))[:_NAME_LENGTH_MAX]
        audit.record_failure(
            actor=_actor(request, None),
            action="session.open",
            object_type="user",
            params={"username": tried},
        )


def _actor(request: HttpRequest, user: User | None) -> Actor:
    return Actor(
        user_id=user.pk if user else None,
        kind="person",
        name=user.username if user else "",
        request_id=get_request_id(request),
        address=str(request.META["REMOTE_ADDR"]),
    )
