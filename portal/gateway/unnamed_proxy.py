"""Notices a reverse proxy that nobody named: then all people share one address, and its limits.

One who guesses passwords would shut sign-in for everybody, and the audit log would show the proxy's address.
"""

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

import structlog

from portal.common.asgi.types import App, Receive, Scope, Send, get_header

LOOKED_AT: Final = 200
"""Requests that must all come from one private address."""
_OF_NODES: Final = "/node/"

logger = structlog.get_logger(__name__)


@dataclass
class Callers:
    """From where the first requests came."""

    looked_at: int = LOOKED_AT
    address: str = ""
    requests: int = 0
    is_decided: bool = False

    def note(self, address: str, *, is_forwarded: bool) -> bool:
        """Count a request; return whether, with it, all of them came through one unnamed proxy.

        This machine itself is one only where a proxy says so: all of a platform for trying things is here.
        """
        if self.is_decided or not (is_forwarded or not _is_loopback(address)):
            return False
        self.address = self.address or address
        self.requests += 1
        is_proxy = address == self.address and _is_private(address)
        self.is_decided = not is_proxy or self.requests >= self.looked_at
        return is_proxy and self.is_decided


@dataclass
class UnnamedProxyWatch:
    """ASGI application that warns once in the log; it stands where no proxy is named."""

    app: App
    callers: Callers = field(default_factory=Callers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, having looked where it comes from."""
        if not self.callers.is_decided and not str(scope.get("path", "")).startswith(_OF_NODES):
            address = (scope.get("client") or ("",))[0]
            is_forwarded = bool(get_header(scope, b"x-forwarded-for"))
            if self.callers.note(address, is_forwarded=is_forwarded):
                logger.warning(
                    "proxy.not_named",
                    address=address,
                    hint="If this is a reverse proxy, name it in BERTH_TRUSTED_PROXIES:"
                    " everybody behind it shares its limits of sign-in.",
                )
        await self.app(scope, receive, send)


def _is_private(address: str) -> bool:
    try:
        return ip_address(address).is_private
    except ValueError:
        return False


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return True
