"""Adapter of django-allauth: administrators create accounts, nobody signs up."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest
from typing_extensions import override

from portal.audit import services as audit
from portal.common.rest.problems import current_language
from portal.common.site_config import get_site_config
from portal.identity import known_browsers, password_reset, sign_in_attempts
from portal.identity.account_actor import actor_of
from portal.identity.models import User
from portal.identity.second_factors import end_oldest_sessions, used_factor
from portal.identity.services import remember_language

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
        factor = used_factor(request, user) if isinstance(user, User) else ""
        super().login(request, user)
        if isinstance(user, User):
            remember_language(user, current_language())
            end_oldest_sessions(user)
            known_browsers.mark(request, user)
            audit.record_event(
                actor=actor_of(request, user),
                action="session.open",
                object_type="user",
                object_id=user.pk,
                params={"username": user.username, **({"type": factor} if factor else {})},
            )

    @override
    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt, which the library takes back if the password is right."""
        self._login_failed_rl_usage = sign_in_attempts.count_guess(request, credentials["username"])
        if self._login_failed_rl_usage is None:
            raise self.validation_error("too_many_login_attempts")

    @override
    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Record the failed attempt, with the name that was tried, and whose session it came from."""
        user = request.user
        audit.record_failure(
            actor=actor_of(request, user if isinstance(user, User) else None),
            action="session.open",
            object_type="user",
            params={"username": credentials["username"][:_NAME_LENGTH_MAX]},
        )

    @override
    def reauthenticate(self, user: AbstractBaseUser, password: str) -> bool:
        """Return whether this is the password of a person who is signed in, and record that it is."""
        is_right = bool(super().reauthenticate(user, password))
        if is_right and isinstance(user, User):
            audit.record_event(
                actor=actor_of(self.request, user),
                action="session.confirm",
                object_type="user",
                object_id=user.pk,
                params={"username": user.username},
            )
        return is_right

    @override
    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the address of the page that takes a new password.

        The key is behind the `#`: browsers send that to no server, so no log has it.
        """
        return f"{get_site_config().portal_url}/reset-password#{key}"

    @override
    def send_password_reset_mail(
        self, user: AbstractBaseUser, email: str, context: dict[str, Any]
    ) -> None:
        """Send the address of the page by mail; without a mail server, do nothing."""
        if isinstance(user, User) and get_site_config().sends_mail:
            password_reset.send_reset_mail(self.request, user, context["password_reset_url"])
