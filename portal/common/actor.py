"""The actor of a request: a person, a robot or the platform itself, with its rights."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Self
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Actor:
    """One caller at one moment; rights are read from the database for every request."""

    user_id: UUID | None
    kind: Literal["person", "robot", "system"]
    name: str
    platform_role: str = ""
    roles: Mapping[UUID, str] = field(default_factory=dict)
    """Role by group id; a role also holds in all groups below and is listed for each of them."""
    scopes: frozenset[str] | None = None
    """Actions that the credential allows; None allows all. Scopes only narrow the roles."""
    session_key: str = ""
    token_id: UUID | None = None
    """Of the API token that the caller sent; None where there is a session, or neither."""
    request_id: str = ""
    address: str = ""

    @classmethod
    def system(cls, name: str) -> Self:
        """Return the platform itself, acting as a named part (`scheduler`, `sweep`, `seed`)."""
        return cls(user_id=None, kind="system", name=name)

    def has_scope(self, action: str) -> bool:
        """Return whether the credential's scopes cover the action, whatever the roles."""
        return self.scopes is None or action in self.scopes
