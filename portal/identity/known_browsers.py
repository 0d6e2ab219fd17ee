"""Browsers in which somebody has signed in: a signed cookie names them, until the password changes.

It opens nothing. Attempts from there are counted apart, so that strangers who guess cannot shut its owner out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

from portal.common.ids import new_id
from portal.common.site_config import get_site_config
from portal.identity.models import User

KNOWN_FOR: Final = timedelta(days=180)
"""How long a browser is known after the last sign-in there."""
KNOWN_ACCOUNTS_MAX: Final = 8
"""Accounts that are known in one browser; the oldest is forgotten."""
_SALT: Final = "berth.known-browser"
_MARK: Final = "berth.known_from_now_on"


@dataclass(frozen=True, slots=True)
class KnownBrowser:
    """One account in one browser."""

    user_id: str
    browser_id: str
    fingerprint: str
    """Of the password that was right."""


def find_known(request: HttpRequest, username: str) -> KnownBrowser | None:
    """Return what the browser is known as for a name, unless the password is another one since."""
    held = {known.user_id: known for known in _read(request)}
    person = User.objects.filter(pk__in=held, username__iexact=username).first() if held else None
    if person is None:
        return None
    known = held[str(person.pk)]
    is_current = constant_time_compare(known.fingerprint, _fingerprint(person))
    return known if is_current else None


def newest_account(request: HttpRequest) -> str | None:
    """Return who signed in last in this browser, however long ago that password was."""
    return next((known.user_id for known in _read(request)), None)


def mark(request: HttpRequest, user: User) -> None:
    """Let the answer to this request make the browser known: the person has proved who it is."""
    request.META[_MARK] = user


def remember(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set the cookie of a browser that was marked."""
    user = request.META.get(_MARK)
    if not isinstance(user, User):
        return
    others = [known for known in _read(request) if known.user_id != str(user.pk)]
    own = KnownBrowser(str(user.pk), str(new_id()), _fingerprint(user))
    rows = [
        [known.user_id, known.browser_id, known.fingerprint]
        for known in (own, *others[: KNOWN_ACCOUNTS_MAX - 1])
    ]
    response.set_cookie(
        _cookie(),
        signing.dumps(rows, salt=_SALT),
        max_age=KNOWN_FOR,
        secure=_is_secure(),
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> Iterator[KnownBrowser]:
    """Yield the accounts of the cookie, the newest first; nothing of one that is not ours."""
    try:
        rows: Any = signing.loads(request.COOKIES.get(_cookie(), ""), salt=_SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return
    for user_id, browser_id, fingerprint in rows:
        yield KnownBrowser(str(UUID(user_id)), browser_id, fingerprint)


def _fingerprint(user: User) -> str:
    return salted_hmac(_SALT, user.password, algorithm="sha256").hexdigest()[:32]


def _is_secure() -> bool:
    return get_site_config().portal_url.startswith("https:")


def _cookie() -> str:
    return "__Host-berth-known" if _is_secure() else "berth-known"
