"""Cookies of the origins of work: a notebook or app sees and sets only its own."""

import re
from typing import Final

from portal.common.asgi import Scope, list_cookies
from portal.gateway.addresses import Address

_RESERVED: Final = re.compile(r"(__(Host-Http|Host|Http|Secure)-)?berth-", re.IGNORECASE)
"""Names of the portal's session and CSRF cookies and of our grants."""
_OF_HOST: Final = frozenset({"domain"})
_OF_PLACE: Final = frozenset({"path", "domain"})
LANGUAGE_COOKIE: Final = "berth-language"
"""The language that its user reads the portal in, for the gateway's own pages."""
_LANGUAGE_KEPT_S: Final = 365 * 86_400
COOKIE_MAX: Final = 4096
"""Characters of one cookie that a notebook sets."""


def grant_cookie_name(address: Address) -> str:
    """Return the name of the cookie that opens work.

    Over TLS it is one that scripts cannot set, in browsers that know `__Http-`, and on a host of its own one that
    no other host can set.
    """
    prefix = ""
    if address.is_secure:
        prefix = "__Host-Http-" if address.has_own_host else "__Http-"
    return f"{prefix}berth-app-{address.workload_id}"


def find_secrets(scope: Scope, address: Address) -> list[str]:
    """Return what a request's cookies say of its grant: all of that name, as scripts may have added some."""
    name = grant_cookie_name(address)
    values = (value for key, value in list_cookies(scope) if key == name and value)
    return list(dict.fromkeys(values))


def build_grant_cookie(address: Address, secret: str) -> str:
    """Return the `Set-Cookie` value of a grant, hidden from scripts and from other work.

    `Lax`, because the notebook is opened by a link from the portal, which is another site.
    """
    value = f"{grant_cookie_name(address)}={secret}; Path={address.base}"
    return f"{value}; HttpOnly; SameSite=Lax{'; Secure' if address.is_secure else ''}"


def build_language_cookie(language: str, *, is_secure: bool) -> str:
    """Return the `Set-Cookie` value of a language, for all notebooks of this browser."""
    value = f"{LANGUAGE_COOKIE}={language}; Path=/; Max-Age={_LANGUAGE_KEPT_S}"
    return f"{value}; HttpOnly; SameSite=Lax{'; Secure' if is_secure else ''}"


def filter_cookies(scope: Scope) -> str:
    """Return the request's `Cookie` header without the portal's cookies and grants."""
    parts = (
        part.strip()
        for name, value in scope["headers"]
        if name == b"cookie"
        for part in value.decode("utf-8", "replace").split(";")
    )
    return "; ".join(part for part in parts if part and not _RESERVED.match(part))


def confine_cookie(set_cookie: bytes, path: str) -> bytes | None:
    """Return the `Set-Cookie` of work bound to its own path and host, or None if it is not allowed.

    Where the path is the root it has the host alone, and may choose paths itself.
    """
    pair, *attributes = set_cookie.decode("utf-8", "replace").split(";")
    if len(set_cookie) > COOKIE_MAX or "=" not in pair or _RESERVED.match(pair.strip()):
        return None
    dropped = _OF_HOST if path == "/" else _OF_PLACE
    kept = [
        attribute.strip()
        for attribute in attributes
        if attribute.partition("=")[0].strip().lower() not in dropped
    ]
    own = [] if path == "/" else [f"Path={path}"]
    return "; ".join([pair.strip(), *kept, *own]).encode()
