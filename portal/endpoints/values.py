"""Where and by whom running work is reached, as values; and the secrets that open it."""

import hashlib
import hmac
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from portal.apps.commands import ServedAt

TOKEN_LENGTH = 48


@dataclass(frozen=True, slots=True)
class ContainerAddress:
    """One attempt's container on a node, as streams to it name it."""

    node_id: UUID
    allocation: str
    """Its name on the wire."""
    epoch: int


@dataclass(frozen=True, slots=True)
class Backend:
    """One of the containers that answer behind an endpoint: a rank of running work."""

    workload_id: UUID
    rank: int
    container: ContainerAddress
    node: str
    """Name of its node."""
    host: str
    """Address of its node."""
    port: int | None
    """Where its own web application listens there; None is reached inside the container only."""


@dataclass(frozen=True, slots=True)
class Access:
    """By what somebody may come in: as the owner of the work, or by a share of the owner's."""

    visitor: UUID | None = None
    """The colleague with whom it is shared; None is its owner."""
    is_view_only: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """How requests are changed on their way."""

    token: str = ""
    """Secret that the work's own web application gets with every request."""
    served_at: ServedAt = ServedAt.PATH
    """Which prefix is taken from the paths that a port sees, and so is added to its redirects."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where running work is reached, for whom, and how; a notebook has one back end."""

    kind: str
    """Kind of the work."""
    name: str
    backends: tuple[Backend, ...]
    """At least one; each does for any request."""
    ports: frozenset[int] = frozenset()
    """Ports inside its containers, which its owner requested."""
    policy: Policy = Policy()
    access: Access = Access()

    def choose(self, visit: str) -> Backend:
        """Return the back end of one browser: the same for as long as it is there, even if others come or go."""
        return max(self.backends, key=lambda each: _weigh(visit, each.container))


def _weigh(visit: str, container: ContainerAddress) -> bytes:
    """Return the weight of a container for a visit, by rendezvous hashing."""
    return hashlib.sha256(f"{visit}:{container.allocation}:{container.epoch}".encode()).digest()


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
