"""Which containers of an engine are this node's: nodes of two installations may have one name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.containers.container_spec import (
    LABEL_ALLOCATION,
    LABEL_EPOCH,
    LABEL_NODE,
    LABEL_NODE_ID,
)


@dataclass(frozen=True, slots=True)
class NodeOwner:
    """One node, as the labels of its containers name it."""

    node: str
    node_id: str = ""
    """What the portal calls it, once it has joined."""
    root: Path | None = None
    """Where the directories of its containers are."""

    @property
    def label_filter(self) -> dict[str, str]:
        """The filter by which an engine lists what may be this node's."""
        return {"label": f"{LABEL_NODE}={self.node}"}

    def find_key(self, labels: Mapping[str, str]) -> ContainerKey | None:
        """Return the key of a container of this node; None when its labels are another's.

        One from before it had an id in its labels, or that this node had under an earlier id, is this
        node's if it has a directory here: nobody else has that.
        """
        key = parse_key(labels)
        if key is None or labels.get(LABEL_NODE_ID, "") == self.node_id:
            return key
        is_known = self.root is not None and ContainerDir(self.root, key).exists
        return key if is_known else None


def parse_key(labels: Mapping[str, str]) -> ContainerKey | None:
    """Return the key in a container's labels; None when they are not an agent's."""
    allocation, epoch = labels.get(LABEL_ALLOCATION, ""), labels.get(LABEL_EPOCH, "")
    return ContainerKey(allocation, int(epoch)) if allocation and epoch.isdecimal() else None
