"""Addresses and secrets with which the gateway reaches a notebook's web application."""

import hashlib
import hmac
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from portal.catalog.app_commands import ServedAt

TOKEN_LENGTH = 48


@dataclass(frozen=True, slots=True)
class Upstream:
    """Address of running work, and the secret that its web application expects."""

    host: str
    port: int | None
    """Port of its web application; None for a job, which has none."""
    token: str
    container: "ContainerEndpoint | None" = None
    """The container itself, for its other ports."""
    kind: str = "environment"
    """Kind of the work."""
    name: str = ""
    visitor: UUID | None = None
    """The colleague with whom it is shared; None is its owner."""
    is_view_only: bool = False


@dataclass(frozen=True, slots=True)
class ContainerEndpoint:
    """A running container, with the ports that its owner requested."""

    node_id: UUID
    allocation: str
    """Its name on the wire."""
    epoch: int
    ports: frozenset[int]
    served_at: ServedAt = ServedAt.PATH
    """At which address browsers reach it, and which paths it sees."""


class WorkAvailability(Enum):
    """Why work cannot be opened now."""

    STARTING = "starting"
    """It waits, or it starts; it opens once it runs."""
    STOPPING = "stopping"
    STOPPED = "stopped"
    """A notebook that can be started again."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class ClosedWork:
    """Work that a valid grant does not open now."""

    kind: str
    availability: WorkAvailability
    name: str = ""
    is_own: bool = True
    """Whether the holder of the grant owns it, and so may start it."""


def derive_app_token(secret_key: str, workload_id: UUID, epoch: int) -> str:
    """Return the secret of a notebook's web application, which node and gateway both know.

    It is derived, not stored, and differs for every attempt.
    """
    message = f"app:{workload_id}:{epoch}".encode()
    return hmac.new(secret_key.encode(), message, hashlib.sha256).hexdigest()[:TOKEN_LENGTH]


def base_path(workload_id: UUID) -> str:
    """Return the path on the apps origin under which a notebook is served."""
    return f"/e/{workload_id}/"


def digest_secret(secret: str) -> str:
    """Return the digest that is stored of a ticket or grant.

    It needs no salt: the secret is 256 random bits.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
