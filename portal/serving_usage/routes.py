"""The table of routes of the inference gateway, as values: who may call which service, and who answers.

The app of services builds it from its rows; `portal.inference` follows it. Whatever changes while
requests run (who is open where, which replica failed) is not in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from portal.endpoints.values import ContainerAddress


class Protocol(StrEnum):
    """What the servers of a service speak."""

    OPENAI = "openai"
    """Paths of OpenAI's API: answers tell their tokens, errors have its shape."""
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class ReplicaRoute:
    """One copy of a service's server."""

    workload_id: UUID
    revision: int
    container: ContainerAddress
    port: int
    """Inside the container."""
    is_ready: bool
    """Whether it has answered its probe; others get no request."""
    is_draining: bool = False
    """It gets no new request; those that are open end within the drain bound."""


@dataclass(frozen=True, slots=True)
class KeyRoute:
    """A key of a service; None is no limit."""

    key_id: UUID
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HoldRule:
    """How requests wait while no replica can take them."""

    requests_max: int = 1000
    """Beyond so many held requests of one process the next are refused with 429."""
    within_s: float = 300.0
    """A request that has waited so long is answered with 504."""


@dataclass(frozen=True, slots=True)
class ServiceRoute:
    """One service: its address, its replicas, who may call it."""

    service_id: UUID
    group: str
    """First part of the path: the slug of the group."""
    name: str
    """Second part of the path: the slug of the service."""
    protocol: Protocol
    replicas: tuple[ReplicaRoute, ...] = ()
    weights: Mapping[int, int] = field(default_factory=dict)
    """Revision to its share of requests; a revision that is missing gets none, unless all are."""
    keys: Mapping[str, KeyRoute] = field(default_factory=dict)
    """By the SHA-256 of the key, in hexadecimal: `portal.endpoints.values.digest_secret`."""
    hold: HoldRule = HoldRule()
    open_max: int | None = None
    """Requests that one replica takes at a time, by one process; further ones are held."""
    drain_s: float = 300.0
    """How long requests may continue at a replica that drains or has left the table."""
    probe_path: str = "/"
    """Asked of a replica that failed, before it gets requests again; any answer below 500 will do."""
    metrics_path: str = ""
    """Where its servers tell how many requests wait inside them; empty is nowhere."""
    waiting_metric: str = ""
    """The metric's name there, as Prometheus writes it."""
    reason: str = "no_replica"
    """Why no replica is ready, as a code; reported to those who waited too long."""
    is_stopped: bool = False
    """It takes no request; what is open at its replicas ends within the drain bound."""

    @property
    def address(self) -> tuple[str, str]:
        """Return the two parts of its path."""
        return (self.group, self.name)


@dataclass(frozen=True, slots=True)
class RouteTable:
    """All services that can be called, are stopped, or still answer, as they were at one moment."""

    services: tuple[ServiceRoute, ...] = ()
    """Of two with one address the later is called."""
    at: datetime | None = None
    """When the rows were read; None is a table that was never loaded."""
