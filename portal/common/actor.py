"""Who acts: a person, a robot or the platform itself, with everything that decides its rights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Actor:
    """One caller at one moment; rights are read from the database anew for every request."""

    user_id: UUID | None
    kind: Literal["person", "robot", "system"]
    name: str
    platform_role: str = ""
    roles: Mapping[UUID, str] = field(default_factory=dict)
    """Role by group id; the role of a group holds in its descendants too and is listed there."""
    scopes: frozenset[str] | None = None
    """Actions that the credential allows; None allows all. Scopes only ever narrow."""
    session_key: str = ""
    request_id: str = ""
    address: str = ""

    @classmethod
    def system(cls, name: str) -> Self:
        """Return the platform itself, acting as the named part (`scheduler`, `sweep`, `seed`)."""
        return cls(user_id=None, kind="system", name=name)

    def permits(self, action: str) -> bool:
        """Tell whether the credential's scopes allow the action, whatever the roles say."""
        return self.scopes is None or action in self.scopes
