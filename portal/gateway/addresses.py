"""What the address of a request names: which work, on which origin, and where in it; pure.

Work is below a path of the apps origin, which all share, or alone on a host of its own, whose name is the id of
the work. One spelling is one name: whatever else a `Host` header says names nothing.
"""

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.apps.commands import ServedAt
from portal.common.asgi.types import Scope, get_header, raw_path
from portal.common.origins import HostPattern, Origin
from portal.endpoints.values import Endpoint, base_path
from portal.gateway.visits import METHODS, SAFE, is_speculative

_WORK: Final = re.compile(r"/e/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/")
_PORT: Final = re.compile(r"port/(\d{1,5})(?=/|$)")
"""Below the path of work: another port of its container, such as that of TensorBoard."""
_TICKET: Final = re.compile(rb"ticket=([\w-]{1,128})(?:&port=(\d{1,5}))?(?:&lang=(en|zh-CN))?")
_OTHER_SITES: Final = frozenset({"same-site", "cross-site"})


@dataclass(frozen=True, slots=True)
class Address:
    """Work on an origin, and the path in it that a request is for."""

    workload_id: UUID
    origin: Origin
    has_own_host: bool = False
    """Whether nothing else is on this origin."""
    path: str = ""
    """As it was sent."""
    port: int | None = None
    """The port that the path names; on its own host none is named."""
    rest: str = ""
    """The path below that port."""

    @property
    def base(self) -> str:
        """The path of the work, as browsers see it."""
        return "/" if self.has_own_host else base_path(self.workload_id)

    @property
    def is_secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.origin.scheme == "https"

    def is_of(self, endpoint: Endpoint) -> bool:
        """Return whether running work is served at such an address: it has one, not two."""
        return (endpoint.policy.served_at is ServedAt.HOST) == self.has_own_host

    def choose_port(self, ports: frozenset[int]) -> int | None:
        """Return which of these ports is meant, if any; on its own host its only one."""
        if self.has_own_host:
            return next(iter(ports)) if len(ports) == 1 else None
        return self.port if self.port in ports else None

    def first_page(self, port: int | None) -> str:
        """Return the path that is shown first: of a port, if one is asked for, or else of JupyterLab."""
        if self.has_own_host:
            return self.base
        return f"{self.base}port/{port}/" if port is not None else f"{self.base}lab"

    def base_of_port(self, port: int) -> str:
        """Return the path under which browsers see a port; its cookies and redirects stay below."""
        return self.base if self.has_own_host else f"{self.base}port/{port}/"

    def path_seen(self, served_at: ServedAt) -> str:
        """Return the path that the server behind the port sees."""
        return self.rest or "/" if served_at is ServedAt.PATH else self.path

    @property
    def may_hold_worker(self) -> bool:
        """Whether a service worker from here cannot reach `/open`: it reaches its own folder."""
        return not self.has_own_host or self.path.rfind("/") > 0

    def admits(self, scope: Scope) -> bool:
        """Return whether a request may be served by the page that it comes from.

        Reads may come from anywhere, but not ahead of a reader, and on its own host not for parts of other pages;
        whatever could change something must come from this very origin.
        """
        if is_speculative(scope):
            return False
        if scope["type"] == "http" and scope["method"] in SAFE:
            return not (self.has_own_host and _is_for_part_of_other_page(scope))
        is_known = scope["type"] == "websocket" or scope["method"] in METHODS
        return is_known and self.origin.is_origin(get_header(scope, b"origin"))


@dataclass(frozen=True, slots=True)
class WorkOrigin:
    """An origin on which work is served."""

    origin: Origin
    host_of: UUID | None = None
    """Whose own host it is; None is the apps origin."""

    def locate(self, workload_id: UUID, path: str = "/") -> Address:
        """Return the address of a path of this work here."""
        if self.host_of is not None:
            return Address(workload_id, self.origin, has_own_host=True, path=path, rest=path)
        named = _PORT.match(path, len(base_path(workload_id)))
        if named is None:
            return Address(workload_id, self.origin, path=path)
        rest = path[named.end() :]
        return Address(workload_id, self.origin, path=path, port=int(named[1]), rest=rest)

    def find(self, path: str) -> Address | None:
        """Return which work a path names here, and where in it; None where it names none."""
        if self.host_of is not None:
            return self.locate(self.host_of, path)
        work = _WORK.match(path)
        return self.locate(UUID(work[1]), path) if work else None


def find_origin(host: str, apps: Origin, hosts: HostPattern | None) -> WorkOrigin | None:
    """Return the origin that a `Host` header names, if it is one of ours."""
    owner = hosts.find_work(host) if hosts else None
    if hosts and owner:
        return WorkOrigin(hosts.origin_of(owner), owner)
    return WorkOrigin(apps) if apps.is_host(host) else None


@dataclass(frozen=True, slots=True)
class TicketQuery:
    """The query with which the portal sends a browser to `/open`."""

    code: str
    port: int | None = None
    language: str = ""


def find_ticket(scope: Scope) -> TicketQuery | None:
    """Return the ticket that a request is to exchange; an app on its own host may have an `/open`, too."""
    if raw_path(scope) != "/open" or scope.get("method") != "GET":
        return None
    found = _TICKET.fullmatch(scope["query_string"])
    if found is None:
        return None
    port = int(found[2]) if found[2] else None
    return TicketQuery(found[1].decode(), port, (found[3] or b"").decode())


def _is_for_part_of_other_page(scope: Scope) -> bool:
    """Return whether a browser says that a page of another host wants this as its part, or by a script."""
    is_other = get_header(scope, b"sec-fetch-site") in _OTHER_SITES
    return is_other and get_header(scope, b"sec-fetch-mode") != "navigate"
