"""Where the files of a volume lie; pure."""

from dataclasses import dataclass
from uuid import UUID

from portal.volumes.models import Volume
from scheduler.core.model.states import NodeState


@dataclass(frozen=True, slots=True)
class VolumePlace:
    """The storage that nodes share, or one node whose storage is its own."""

    node: UUID | None = None
    """None is the shared storage."""

    @property
    def is_local(self) -> bool:
        """Whether it is one node's own storage."""
        return self.node is not None


def place_of(volume: Volume) -> VolumePlace | None:
    """Return where a volume lies; None before its first use, or when its node was retired.

    The row must have been read with its node.
    """
    if volume.location == Volume.Location.SHARED:
        return VolumePlace()
    is_gone = volume.node is None or volume.node.state == NodeState.RETIRED
    return None if is_gone else VolumePlace(volume.node_id)
