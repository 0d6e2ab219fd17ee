"""Endpoints of work that no row describes, on this machine."""

from typing import Final
from uuid import UUID

from portal.apps.commands import ServedAt
from portal.endpoints.values import Access, Backend, ContainerAddress, Endpoint, Policy

WORK: Final = UUID("0190d3a0-0000-7000-8000-0000000000ff")


def a_backend(port: int | None = None, container: ContainerAddress | None = None) -> Backend:
    """Return a back end whose own web application, if any, listens on this port here."""
    found = container or ContainerAddress(WORK, "a", 1)
    return Backend(WORK, 0, found, "node-1", "127.0.0.1", port)


def an_endpoint(
    port: int | None = None,
    token: str = "",
    *ports: int,
    served_at: ServedAt = ServedAt.PATH,
    kind: str = "environment",
    name: str = "",
    access: Access | None = None,
    container: ContainerAddress | None = None,
) -> Endpoint:
    """Return an endpoint of one back end, for its owner unless said otherwise."""
    return Endpoint(
        kind,
        name,
        (a_backend(port, container),),
        frozenset(ports),
        Policy(token, served_at),
        access or Access(),
    )
