"""Secrets and addresses by which the gateway reaches an environment's web application."""

import hashlib
import hmac
from dataclasses import dataclass
from uuid import UUID

TOKEN_LENGTH = 48


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where work listens, and the secret that its web application expects."""

    host: str
    port: int | None
    """Of its web application; None of a job, which has none."""
    token: str
    inside: "ContainerEndpoint | None" = None
    """The container itself, for its other ports."""


@dataclass(frozen=True, slots=True)
class ContainerEndpoint:
    """One running container, and which of its ports its owner asked to be served."""

    node_id: UUID
    allocation: str
    """Its name on the wire."""
    epoch: int
    ports: frozenset[int]


def derive_app_token(secret_key: str, workload_id: UUID, epoch: int) -> str:
    """Return the secret of an environment's web application, the same on both ends.

    It is derived, not stored, and differs for every attempt.
    """
    message = f"app:{workload_id}:{epoch}".encode()
    return hmac.new(secret_key.encode(), message, hashlib.sha256).hexdigest()[:TOKEN_LENGTH]


def base_path(workload_id: UUID) -> str:
    """Return the path on the apps origin under which an environment is served."""
    return f"/e/{workload_id}/"


def digest_secret(secret: str) -> str:
    """Return what the database keeps of a ticket or grant; they have 256 bits of their own."""
    return hashlib.sha256(secret.encode()).hexdigest()
