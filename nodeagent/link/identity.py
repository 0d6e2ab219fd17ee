"""The node's identity: the file that keeps it, and the credentials that connections use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from nodeagent.disk.atomic_json import read_json, write_json
from wire.messages import Joined
from wire.values import Millis


class NodeIdentity(Joined):
    """What joining has returned, and when the present key was issued."""

    obtained_at: Millis = 0
    """By this host's wall clock; 0 when it is not known."""


@dataclass(frozen=True, slots=True)
class IdentityFile:
    """Readable by the agent's user only."""

    path: Path

    def load(self) -> NodeIdentity | None:
        """Return the identity, or None before the node has joined."""
        content = read_json(self.path)
        try:
            return None if content is None else NodeIdentity.model_validate(content)
        except ValidationError:
            return None

    def save(self, identity: NodeIdentity) -> None:
        """Save the identity; returns when it is on the disk."""
        write_json(self.path, identity.model_dump(), is_durable=True)


@dataclass
class NodeCredentials:
    """The present identity; its key changes while the agent runs."""

    identity: NodeIdentity
    _listeners: list[Callable[[], None]] = field(default_factory=list)

    def headers(self) -> Mapping[str, str]:
        """Return the HTTP headers that authenticate this node to the portal."""
        return {"Authorization": f"Bearer {self.identity.key}"}

    def subscribe(self, on_change: Callable[[], None]) -> None:
        """Call this whenever the key has changed."""
        self._listeners.append(on_change)

    def replace(self, identity: NodeIdentity) -> None:
        """Use this identity from now on."""
        self.identity = identity
        for listener in self._listeners:
            listener()
