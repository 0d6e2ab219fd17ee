"""What the place where work runs is to do: the complete desired state, gathered part by part."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Self

from portal.execution.report import AttemptKey
from wire.images import SaveImage
from wire.messages import DesiredContainer, StopGrace


@dataclass(frozen=True, slots=True)
class Desired:
    """All that a node is to run and to do; what it does not name ends.

    Each subject fills fields of its own, and returns them as a part.
    """

    containers: tuple[DesiredContainer, ...] = ()
    unknown: tuple[AttemptKey, ...] = ()
    """What the database does not know, and goes on as it is."""
    acks: tuple[AttemptKey, ...] = ()
    """Reported ends that were processed; the node may forget them."""
    graces: tuple[StopGrace, ...] = ()
    """How much time what ends has, where it is not the node's default."""
    images: tuple[str, ...] = ()
    """Images to pull ahead of use."""
    login_hosts: tuple[str, ...] = ()
    """Registries from which it pulls with a login of the portal."""
    saves: tuple[SaveImage, ...] = ()
    """Containers to save as images."""
    retests: Mapping[str, int] = field(default_factory=dict)
    """Cards to evaluate again, each with the number of that order."""

    def with_part(self, part: "Self | None") -> "Self":
        """Return this with what a part names."""
        if part is None:
            return self
        named = {item.name: getattr(part, item.name) for item in fields(part)}
        return replace(self, **{name: value for name, value in named.items() if value})
