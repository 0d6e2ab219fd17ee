"""Who this node is: on disk, and in the hands of everything that speaks to the portal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from nodeagent.disk.atomic_json import read_json, write_json
from wire.messages import Joined
from wire.values import Millis


class NodeIdentity(Joined):
    """What joining has bought, and when its present key was given."""

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
        """Keep the identity; returns when it is on the disk."""
        write_json(self.path, identity.model_dump(), is_durable=True)


@dataclass
class NodeCredentials:
    """The identity as it is now; its key changes while the agent runs."""

    identity: NodeIdentity
    _listeners: list[Callable[[], None]] = field(default_factory=list)

    def headers(self) -> Mapping[str, str]:
        """Return what proves this node to the portal."""
        return {"Authorization": f"Bearer {self.identity.key}"}

    def subscribe(self, on_change: Callable[[], None]) -> None:
        """Tell somebody whenever the key is another one."""
        self._listeners.append(on_change)

    def replace(self, identity: NodeIdentity) -> None:
        """Use this identity from now on."""
        self.identity = identity
        for listener in self._listeners:
            listener()
