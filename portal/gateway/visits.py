"""What a colleague's browser may do with work that is shared: reads only, and nothing beside it.

Most work shares one origin, and browsers send the grants of every open notebook with requests of any of its
pages. Until something is shared, all these pages are one person's. A page that another person wrote is
therefore confined by the browser to its own path, by a policy that goes with every answer; see ADR 54. Work on a
host of its own is confined to that host in the same way.
"""

from typing import Final
from urllib.parse import urljoin

from portal.common.asgi import Header, Scope, get_header
from portal.common.origins import Origin

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that only read (RFC 9110, section 9.2.1)."""
HIDDEN_FROM_VIEWED: Final = frozenset(
    {
        b"x-http-method-override",  # some servers take a read for another method
        b"x-http-method",
        b"x-method-override",
        b"accept-encoding",  # `SecretMask` reads the body
        b"range",  # and all of it
        b"if-range",
    }
)
"""Headers of a viewer's request that do not reach the work."""
_SANDBOX: Final = "sandbox allow-scripts allow-same-origin allow-forms allow-downloads allow-modals"
"""No windows: a window of other work on this origin would be open to the scripts of this."""


def is_read(scope: Scope) -> bool:
    """Return whether a request only reads; an upgrade to a WebSocket does not."""
    return scope["type"] == "http" and scope["method"] in SAFE


def installs_service_worker(scope: Scope) -> bool:
    """Return whether a browser fetches a service worker: its answers would come without our policy."""
    return bool(get_header(scope, b"service-worker"))


def confine_answer(headers: list[Header], page: str, apps: Origin, base: str) -> list[Header]:
    """Return an answer's headers with the policy, and without a redirect to other work."""
    kept = [
        (name, value)
        for name, value in headers
        if name != b"location" or _stays_inside(value, page, apps, base)
    ]
    return [*kept, _confining_policy(apps, base)]


class SecretMask:
    """Overwrites a secret in a body with as many other characters, however it is cut into pieces."""

    def __init__(self, secret: str) -> None:
        """Hide `secret`."""
        self._secret = secret.encode()
        self._kept = b""

    def feed(self, chunk: bytes) -> bytes:
        """Return what can be passed on; the end is kept where the secret might begin in it."""
        data = (self._kept + chunk).replace(self._secret, b"0" * len(self._secret))
        length = next(
            (
                length
                for length in range(min(len(self._secret) - 1, len(data)), 0, -1)
                if data.endswith(self._secret[:length])
            ),
            0,
        )
        cut = len(data) - length
        self._kept = data[cut:]
        return data[:cut]

    def end(self) -> bytes:
        """Return what is left."""
        left, self._kept = self._kept, b""
        return left


def _confining_policy(apps: Origin, base: str) -> Header:
    """Return the header that keeps a page's scripts from all other work on the origin."""
    own = f"{apps}{base}"
    sockets = f"{'wss' if apps.scheme == 'https' else 'ws'}://{apps.host}{base}"
    return b"content-security-policy", "; ".join(
        (
            _SANDBOX,
            f"connect-src {own} {sockets} data: blob:",
            f"frame-src {own} data: blob:",
            f"form-action {own}",
            f"base-uri {own}",
            f"worker-src {own} data: blob:",
            "object-src 'none'",
        )
    ).encode()


def _stays_inside(location: bytes, page: str, apps: Origin, base: str) -> bool:
    """Return whether a redirect stays with its work: once redirected, browsers ignore a policy's paths.

    Only what every browser reads alike is followed: no dots, no backslashes, no other spelling of a host.
    """
    if b".." in location or b"\\" in location or b"%2e" in location.lower():
        return False
    target = urljoin(f"{apps}{page}", location.decode("latin-1"))
    return target.isprintable() and target.startswith(f"{apps}{base}")
