"""Second factors of sign-in: how their secrets are stored, and what of them is in the audit log.

django-allauth enrols and checks them (`/_allauth/browser/v1/account/authenticators`).
"""

from typing import Any, Final

from allauth.account.internal.flows.login import get_authentication_records
from allauth.core import context
from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.db import transaction
from django.http import HttpRequest
from typing_extensions import override

from portal.audit import services as audit
from portal.common import encryption
from portal.identity.account_actor import actor_of
from portal.identity.models import User

_SECRETS: Final = ("secret", "seed")
"""Encrypted values in the data of an authenticator: of TOTP, of recovery codes."""
_PASSKEY: Final = str(Authenticator.Type.WEBAUTHN)
SESSIONS_MAX: Final = 32
"""Sessions of one person: a sign-in looks at each, and a script that signs in for every run ends none."""


class SecondFactorAdapter(DefaultMFAAdapter):
    """Keeps the secrets of second factors encrypted."""

    @override
    def encrypt(self, text: str) -> str:
        """Return what is stored."""
        return encryption.encrypt(text)

    @override
    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; raises rather than compare codes with a secret that cannot be read."""
        return encryption.decrypt(encrypted_text)


class SessionAdapter(DefaultUserSessionsAdapter):
    """Records which sessions a person has ended."""

    @override
    @transaction.atomic
    def end_sessions(self, sessions: list[UserSession]) -> None:
        """End sessions at once; what they hold open ends within seconds."""
        super().end_sessions(sessions)
        request = context.request
        for session in sessions:
            audit.record_event(
                actor=actor_of(request, request.user),
                action="session.end",
                object_type="user",
                object_id=session.user_id,
                params={"username": request.user.username, "address": session.ip},
            )


def used_factor(request: HttpRequest, user: User) -> str:
    """Return with which factor besides, or instead of, the password somebody signs in; empty is none."""
    steps = get_authentication_records(request, user)
    return str(next((step["type"] for step in reversed(steps) if step["method"] == "mfa"), ""))


def end_oldest_sessions(user: User) -> None:
    """Leave room for the session that a sign-in opens, as if the person had ended the oldest ones."""
    kept = UserSession.objects.filter(user=user).order_by("-created_at", "-pk")
    SessionAdapter().end_sessions(list(kept[SESSIONS_MAX - 1 :]))


@transaction.atomic
def remove_second_factors(user: User) -> int:
    """Remove every second factor of a person who lost them; return how many there were."""
    removed, _ = Authenticator.objects.filter(user=user).delete()
    return int(removed)


@transaction.atomic
def encrypt_again() -> int:
    """Encrypt the stored secrets with the present key; return how many authenticators changed."""
    rows = list(Authenticator.objects.select_for_update().order_by("pk"))
    changed = [row for row in rows if any(name in row.data for name in _SECRETS)]
    for row in changed:
        kept = {name: row.data[name] for name in _SECRETS if name in row.data}
        row.data |= {name: encryption.rotate(stored) for name, stored in kept.items()}
        row.save(update_fields=["data"])
    return len(changed)


def connect_audit_log() -> None:
    """Record what the library reports; it reports by signals only."""
    signals.authenticator_added.connect(record_added)
    signals.authenticator_removed.connect(record_removed)
    signals.authenticator_reset.connect(record_renewed)
    signals.authentication_failed.connect(record_wrong_code)


def record_added(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Record that a person enrolled a second factor, or got recovery codes with it."""
    _record(request, user, "second_factor.add", authenticator)


def record_removed(
    request: HttpRequest, user: User, authenticator: Authenticator, **_: Any
) -> None:
    """Record that a person gave a second factor up."""
    _record(request, user, "second_factor.remove", authenticator)


def record_renewed(
    request: HttpRequest, user: User, authenticator: Authenticator, **_: Any
) -> None:
    """Record that a person made new recovery codes."""
    _record(request, user, "second_factor.renew", authenticator)


def record_wrong_code(request: HttpRequest, user: User, **_: Any) -> None:
    """Record a wrong code: the password before it was right."""
    audit.record_failure(
        actor=actor_of(request, user),
        action="second_factor.use",
        object_type="user",
        params={"username": user.username},
    )


def record_wrong_passkey(request: HttpRequest, user: User | None) -> None:
    """Record a passkey that proved nothing: alone, or after the right password of a person."""
    audit.record_failure(
        actor=actor_of(request, user),
        action="second_factor.use" if user else "session.open",
        object_type="user",
        params={"username": user.username if user else "", "type": _PASSKEY},
    )


def _record(request: HttpRequest, user: User, action: str, authenticator: Authenticator) -> None:
    audit.record_event(
        actor=actor_of(request, user),
        action=action,
        object_type="user",
        object_id=user.pk,
        params={"username": user.username, "type": str(authenticator.type)},
    )
