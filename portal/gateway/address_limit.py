"""A limit of requests and sockets at a time per client address, also of clients behind a proxy."""

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import App, Receive, Scope, Send
from portal.common.rest.problems import Problem


@dataclass(frozen=True, slots=True)
class AddressLimit:
    """ASGI application that answers 429 when an address has too many requests and sockets open.

    The server counts the connections of those who come directly; through a proxy come the
    connections of many, whose own addresses are known only when a request has been read.
    """

    app: App
    limiter: ConnectionLimiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or socket."""
        address = (scope.get("client") or ("",))[0]
        if not _is_counted(address):
            await self.app(scope, receive, send)
            return
        with self.limiter.acquire(address) as is_acquired:
            if is_acquired:
                await self.app(scope, receive, send)
            else:
                problem = Problem(
                    429,
                    "too_many_connections",
                    {"limit": self.limiter.limit},
                    headers=(("Retry-After", "5"),),
                )
                await send_problem(scope, send, problem)


@lru_cache(maxsize=4096)
def _is_counted(address: str) -> bool:
    """Return whether this is another machine: work of this one is not limited."""
    try:
        return not ip_address(address).is_loopback
    except ValueError:
        return False
