"""How a node gets the secrets of a container that it is about to start."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from wire.values import Count, Identifier, Message

SECRETS_MAX = 16
"""Secrets that one container may get."""
SECRET_BYTES_MAX = 32 * 1024
"""Bytes of one secret's value."""


class SecretsRequest(Message):
    """POST body of `/node/v1/secrets`, sent when the node starts a container that has secrets."""

    allocation: Identifier
    epoch: Count


class SecretValue(Message):
    """One secret, and as what the work gets it."""

    kind: Literal["env", "file"]
    target: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$")]
    """Name of the variable or of the file."""
    value: Annotated[str, Field(max_length=SECRET_BYTES_MAX, repr=False)]


class Secrets(Message):
    """The answer to `SecretsRequest`. Kept in memory only; see docs/adr/0033."""

    secrets: Annotated[tuple[SecretValue, ...], Field(max_length=SECRETS_MAX)]
