"""How work names the secrets that it gets: one form for submissions, rows and nodes; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self
from uuid import UUID


class SecretScope(StrEnum):
    """Whose secret a name means."""

    USER = "user"
    """The owner of the work."""
    GROUP = "group"
    """The group of the work."""


@dataclass(frozen=True, slots=True)
class SecretUse:
    """One secret of one workload, by name: what it is at the start is what the work gets."""

    name: str
    scope: SecretScope
    kind: str
    """`env` or `file`; the API and the stored form call it `as`."""
    target: str
    """Name of the variable or of the file."""

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        """Return the use that `spec["secrets"]` of a workload describes."""
        scope = SecretScope(stored["scope"])
        return cls(stored["name"], scope, stored["as"], stored["target"])


@dataclass(frozen=True, slots=True)
class SecretOwner:
    """A user or a group."""

    scope: SecretScope
    id: UUID


def parse_uses(spec: Mapping[str, Any]) -> tuple[SecretUse, ...]:
    """Return the secrets that a workload's spec names."""
    return tuple(SecretUse.from_stored(stored) for stored in spec.get("secrets", ()))


def owners_of(
    uses: Iterable[SecretUse], *, user_id: UUID, group_id: UUID
) -> dict[tuple[SecretOwner, str], SecretUse]:
    """Return the uses by owner and name, for work of this user in this group."""
    ids = {SecretScope.USER: user_id, SecretScope.GROUP: group_id}
    return {(SecretOwner(use.scope, ids[use.scope]), use.name): use for use in uses}
