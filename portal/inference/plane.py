"""The services that this process relays to: the newest table, and what exists beside it."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from portal.common.asgi.types import Scope, get_header
from portal.common.clock import now
from portal.endpoints.values import digest_secret
from portal.inference.catching_up import NewerTable
from portal.inference.limits import KeyLimits
from portal.inference.meters import KeyMeter, SecondCounts
from portal.inference.replicas import Probe, Replicas
from portal.serving_usage.loads import SecondOfLoad
from portal.serving_usage.routes import KeyRoute, RouteTable, ServiceRoute

_BEARER = "bearer "


@dataclass(slots=True)
class CalledService:
    """One service: its route, its replicas, what happened in the running second."""

    route: ServiceRoute
    replicas: Replicas
    counts: SecondCounts = field(default_factory=SecondCounts)


class Plane:
    """All services of this process; it continues with the last table when no newer one comes."""

    def __init__(
        self,
        probe: Probe,
        connections_max: int | None = None,
        newer: NewerTable | None = None,
    ) -> None:
        """Start without services; the way to a replica carries so many requests at a time."""
        self.newer = newer or NewerTable()
        """Who waits for a table that is read from now on."""
        self.limits = KeyLimits()
        self.keys = KeyMeter()
        self.loaded_at: datetime | None = None
        """When the rows of the table were read; None before the first."""
        self.is_stale = False
        """Whether the last attempt to read them failed."""
        self._probe = probe
        self._connections_max = connections_max
        self._services: dict[UUID, CalledService] = {}
        self._addresses: dict[tuple[str, str], CalledService] = {}

    def update(self, table: RouteTable) -> None:
        """Follow a table that was just read."""
        self.loaded_at, self.is_stale = table.at or now(), False
        before, self._services = self._services, {}
        for route in table.services:
            service = before.pop(route.service_id, None)
            if service is None:
                service = CalledService(route, Replicas(route, self._probe, self._connections_max))
            elif service.route != route:
                service.route = route
                service.replicas.update(route)
            self._services[route.service_id] = service
        for service in before.values():
            service.replicas.close()
        self._addresses = {each.route.address: each for each in self._services.values()}
        self.limits.keep_only({key.key_id for each in table.services for key in each.keys.values()})

    async def catch_up(self) -> None:
        """Wait, within a bound, until a table counts that was read after this call."""
        await self.newer.wait()

    def find(self, group: str, name: str) -> CalledService | None:
        """Return the service at an address."""
        return self._addresses.get((group, name))

    def close_second(self, second: datetime) -> list[SecondOfLoad]:
        """Return what was seen of every service, the idle ones included, and begin again.

        Of a stopped one without replicas nothing is said, unless somebody called it.
        """
        closed = []
        for service_id, service in self._services.items():
            counts, service.counts = service.counts, SecondCounts()
            replicas = service.replicas
            opened = replicas.open_by_replica()
            if counts.arrivals or opened or not service.route.is_stopped:
                inside = replicas.waiting_inside(asyncio.get_running_loop().time())
                closed.append(counts.close(service_id, second, replicas.held, opened, inside))
        return closed

    def services(self) -> list[CalledService]:
        """Return the services of the newest table."""
        return list(self._services.values())

    def cut_open(self) -> None:
        """End what is open at replicas, and what waits for one."""
        for service in self._services.values():
            service.replicas.cut_open()
            service.replicas.close()

    def close(self) -> None:
        """Stop probing and holding."""
        for service in self._services.values():
            service.replicas.close()


def find_key(scope: Scope, route: ServiceRoute) -> KeyRoute | None:
    """Return the key of the service that a request brings, unless it has expired."""
    secret = _secret(scope)
    if not secret:
        return None
    # Only digests are compared: how long the look-up takes says nothing of a secret.
    key = route.keys.get(digest_secret(secret))
    is_over = key is not None and key.expires_at is not None and key.expires_at <= now()
    return None if is_over else key


def _secret(scope: Scope) -> str:
    """Return what `Authorization: Bearer` or `x-api-key` brings."""
    authorization = get_header(scope, b"authorization")
    if authorization[: len(_BEARER)].lower() == _BEARER:
        return authorization[len(_BEARER) :].strip()
    return get_header(scope, b"x-api-key").strip()
