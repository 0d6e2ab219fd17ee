"""How work names the secrets that it gets: one form for submissions, rows and nodes; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


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


def parse_uses(spec: Mapping[str, Any]) -> tuple[SecretUse, ...]:
    """Return the secrets that a workload's spec names."""
    return tuple(SecretUse.from_stored(stored) for stored in spec.get("secrets", ()))
