"""What people hear when a disk of a node runs full on which their work runs, and when it has room.

The node itself takes no new work meanwhile, because the fault is a blocking one; what runs goes on
and would fail at its next write. Only the owner of the files knows what may be deleted.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from portal.common.actor import Actor
from portal.inventory.models import Node
from portal.workloads.state import transitions
from portal.workloads.state.allocations import NodeAllocations
from scheduler.core.model.states import WorkloadState

Fault = Mapping[str, Any]
"""As in `Node.faults`."""

DISK_FAULTS: Final = frozenset({"disk_pressure", "disk_full"})
DISK_SHORT: Final = "node_disk_short"
DISK_RELIEVED: Final = "node_disk_relieved"
_NOTIFIED_STATES: Final = frozenset({WorkloadState.STARTING, WorkloadState.RUNNING})


def find_disk_shortage(faults: Collection[Fault]) -> dict[str, int] | None:
    """Return room and size, in MiB, of the disk of these that has the least room; None if all is well."""
    found = [
        item for item in faults if item["code"] in DISK_FAULTS and item.get("free_mib") is not None
    ]
    if not found:
        return None
    worst = min(found, key=lambda item: int(item["free_mib"]))
    return {"free_mib": worst["free_mib"], "size_mib": worst["size_mib"]}


def record_disk_pressure(work: NodeAllocations, node: Node, said: Collection[Fault]) -> None:
    """Tell of the beginning and the end of a shortage; `node` has the faults from before.

    The node sees to it that a disk near the limit is not news with every heartbeat.
    """
    before, after = find_disk_shortage(node.faults), find_disk_shortage(said)
    if (before is None) == (after is None):
        return
    present = {item.workload_id for item in work.allocations}
    transitions.record_note(
        [
            row
            for key, row in work.workloads.items()
            if key in present and row.state in _NOTIFIED_STATES
        ],
        actor=Actor.system(f"node:{node.name}"),
        cause=DISK_SHORT if after else DISK_RELIEVED,
        params={"node": node.name, **(after or {})},
    )
