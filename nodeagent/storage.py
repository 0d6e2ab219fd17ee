"""Whether a notebook finds its files on another node again; its operator knows, the agent cannot see."""

from typing import Final

from nodeagent.ports import Findings
from wire.facts import NodeFault

LOCAL: Final = NodeFault(code="storage_local", detail="storage_shared is false", is_blocking=False)
"""The portal keeps notebooks on the node that has their files while this is said."""


class StorageCheck:
    """Says so where the storage is this node's own; the `Inspection` port."""

    def __init__(self, *, is_shared: bool) -> None:
        self._found = Findings() if is_shared else Findings(faults=(LOCAL,))

    async def findings(self) -> Findings:
        """Return what the configuration says."""
        return self._found
