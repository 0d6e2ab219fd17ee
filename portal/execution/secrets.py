"""Secrets that work is started with; a port of every back end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from portal.execution.report import AttemptKey


@dataclass(frozen=True, slots=True)
class StartSecret:
    """A secret with its value: `kind` is `env` or `file`, `target` the variable or the path."""

    kind: str
    target: str
    value: str = field(repr=False)


class SecretSource(Protocol):
    """Reveals secrets to the node that is about to start the work that uses them."""

    def __call__(self, node_id: UUID, attempt: AttemptKey) -> Sequence[StartSecret]:
        """Return those of an attempt; raises a `DomainError` when the node does not start it now."""
