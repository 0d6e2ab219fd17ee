"""What nodes have on their disks already of what work would fetch: images, and versions of data sets."""

from dataclasses import dataclass

from scheduler.core.model.entities import NodeId


@dataclass(frozen=True, slots=True)
class CachedContent:
    """An image or a version of a data set, and the nodes that have a copy."""

    name: str
    """As `PendingWorkload.contents` names it."""
    size_mib: int
    nodes: frozenset[NodeId]
