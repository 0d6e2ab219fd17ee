"""Says which containers have a record of their shares that cannot be read."""

import asyncio
from pathlib import Path

from nodeagent.ports import Findings
from nodeagent.sharing.records import UNREADABLE, Records
from wire.facts import NodeFault


class RecordsCheck:
    """Reads them anew each time: they are few, and this is about the disk; the `Inspection` port."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def findings(self) -> Findings:
        """Return one fault, which names the containers; the node goes on with its other cards."""
        names = await asyncio.to_thread(unreadable, self._root)
        if not names:
            return Findings()
        fault = NodeFault(code=UNREADABLE, detail=", ".join(names)[:200], is_blocking=False)
        return Findings(faults=(fault,))


def unreadable(root: Path) -> tuple[str, ...]:
    """Return whose records cannot be read, as `<allocation>.<epoch>`."""
    found = (item.key for item in Records(root).unread())
    return tuple(f"{key.allocation}.{key.epoch}" for key in found)
