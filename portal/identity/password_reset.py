"""Passwords that people set themselves: by the key of a mail, or in their session; what is logged of it.

django-allauth makes and checks the key (`/_allauth/browser/v1/auth/password`); it is valid once and
for an hour. The answer to a request is the same, and as fast, whether there is such a person or not.
Only the address that administrators have written down counts: never one of the library's own table.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import structlog
from allauth.account import signals
from django.core.mail import EmailMessage
from django.http import HttpRequest

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.rest.problems import current_language
from portal.common.site_config import get_site_config
from portal.common.translations import translate
from portal.identity import known_browsers
from portal.identity.account_actor import actor_of
from portal.identity.models import User, UserKind

_SENDERS: Final = ThreadPoolExecutor(max_workers=2, thread_name_prefix="mail")
"""A mail server may take seconds, which would tell that the address is known."""

logger = structlog.get_logger(__name__)


def find_people(address: str) -> list[User]:
    """Return the active people with this address of mail."""
    rows = User.objects.filter(email__iexact=address, kind=UserKind.PERSON, is_active=True)
    # The database also takes letters for equal that only look equal.
    return [person for person in rows if person.email.lower() == address.lower()]


def send_reset_mail(request: HttpRequest, user: User, url: str) -> None:
    """Send a person the address at which a new password is set; the caller does not wait for it."""
    language = current_language()
    params = {
        "name": user.display_name or user.username,
        "username": user.username,
        "url": url,
        "minutes": get_site_config().password_reset_s // 60,
    }
    message = EmailMessage(
        translate(language, "mail.password_reset.subject", params),
        translate(language, "mail.password_reset.body", params),
        to=[user.email],
    )
    _record(actor_of(request, None), "password.request", user)
    _SENDERS.submit(_send, message)


def connect_audit_log() -> None:
    """Record passwords that were set; the library reports them by signals."""
    signals.password_reset.connect(record_reset)
    signals.password_changed.connect(record_change)


def record_reset(request: HttpRequest, user: User, **_: Any) -> None:
    """Record that a person has set a new password by a key from a mail."""
    _record(actor_of(request, user), "password.reset", user)


def record_change(request: HttpRequest, user: User, **_: Any) -> None:
    """Record that a person has changed the password, and so knew the old one."""
    known_browsers.mark(request, user)
    _record(actor_of(request, user), "password.change", user)


def record_wrong_password(request: HttpRequest) -> None:
    """Record that somebody with a session of this person did not know the password to change it."""
    user = request.user
    audit.record_failure(
        actor=actor_of(request, user if isinstance(user, User) else None),
        action="password.change",
        object_type="user",
        params={"username": user.get_username()},
    )


def _send(message: EmailMessage) -> None:
    try:
        message.send()
    except OSError as error:  # also of the protocol
        logger.exception("mail.failed", error=type(error).__name__)


def _record(actor: Actor, action: str, user: User) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="user",
        object_id=user.pk,
        params={"username": user.username},
    )
