"""What a colleague's browser may do with work that is shared: reads only, and nothing beside it.

Most work shares one origin, and browsers send the grants of every open notebook with requests of any of its
pages. Until something is shared, all these pages are one person's. A page that another person wrote is
therefore confined by the browser to its own path, by a policy that goes with every answer; see ADR 54. Work on a
host of its own is confined to that host in the same way.
"""

from typing import Final
from urllib.parse import urljoin

from portal.common.asgi.types import Header, Scope, get_header
from portal.common.origins import Origin

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that only read (RFC 9110, section 9.2.1)."""
METHODS: Final = SAFE | {"POST", "PUT", "PATCH", "DELETE"}
"""Methods that are passed on."""
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
_ASKS_ELSEWHERE: Final = frozenset(
    {
        b"content-security-policy-report-only",
        b"report-to",
        b"reporting-endpoints",
        b"nel",
        b"speculation-rules",
        b"secure-session-registration",
    }
)
"""Headers of an answer by which a browser asks other addresses, with their cookies and past the policy."""
_REPORTS: Final = frozenset({b"report-uri", b"report-to"})
_SANDBOX: Final = "sandbox allow-scripts allow-same-origin allow-forms allow-downloads allow-modals"
"""No windows: a window of other work on this origin would be open to the scripts of this."""


def is_read(scope: Scope) -> bool:
    """Return whether a request only reads; an upgrade to a WebSocket does not."""
    return scope["type"] == "http" and scope["method"] in SAFE


def is_speculative(scope: Scope) -> bool:
    """Return whether a browser opens a page ahead of its reader, as any page may ask it to, past the policy."""
    is_page = get_header(scope, b"sec-fetch-mode") in ("", "navigate")
    return is_page and "prefetch" in get_header(scope, b"sec-purpose")


def installs_service_worker(scope: Scope) -> bool:
    """Return whether a browser fetches a service worker: its answers would come without our policy."""
    return bool(get_header(scope, b"service-worker"))


def confine_answer(headers: list[Header], page: str, apps: Origin, base: str) -> list[Header]:
    """Return an answer's headers with the policy, and without what leads to other work past it."""
    confined = ((name, _confine(name, value, page, apps, base)) for name, value in headers)
    kept = [(name, value) for name, value in confined if value is not None]
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


def _confine(name: bytes, value: bytes, page: str, apps: Origin, base: str) -> bytes | None:
    """Return what a visitor gets of a header's value; None is nothing."""
    if name in _ASKS_ELSEWHERE:
        return None
    if name == b"location":
        return value if _stays_inside(value, page, apps, base) else None
    if name == b"content-security-policy":
        return _drop_reports(value)
    return _confine_challenge(value, base) if name == b"www-authenticate" else value


def _confine_challenge(value: bytes, base: str) -> bytes | None:
    """Return a demand for credentials that no browser meets with those for other work.

    Browsers keep passwords by origin and realm, and sign in to their own network by themselves.
    """
    scheme, _, _ = value.strip().lower().partition(b" ")
    if scheme == b"basic":
        return f'Basic realm="{base}", charset="UTF-8"'.encode()
    return value if scheme == b"bearer" and b"," not in value else None


def _drop_reports(policies: bytes) -> bytes:
    """Return policies that have a browser report to nobody: a report is a POST to any address."""
    kept = (
        b";".join(
            directive
            for directive in policy.split(b";")
            if directive.split(maxsplit=1)[:1] and directive.split()[0].lower() not in _REPORTS
        )
        for policy in policies.split(b",")
    )
    return b",".join(kept)


def _confining_policy(apps: Origin, base: str) -> Header:
    """Return the header that keeps a page, its parts and its scripts from all other work on the origin.

    What a page may load is named as a whole, so that kinds of parts that browsers learn later are confined, too.
    """
    own = f"{apps}{base}"
    sockets = f"{'wss' if apps.scheme == 'https' else 'ws'}://{apps.host}{base}"
    return b"content-security-policy", "; ".join(
        (
            _SANDBOX,
            f"default-src {own} data: blob: 'unsafe-inline' 'unsafe-eval'",
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

    Only what every browser reads in the same way is followed: no dots, no backslashes, no other spelling of a host.
    """
    if b".." in location or b"\\" in location or b"%2e" in location.lower():
        return False
    try:
        target = urljoin(f"{apps}{page}", location.decode("latin-1"))
    except ValueError:  # no address at all
        return False
    return target.isprintable() and target.startswith(f"{apps}{base}")
