"""Notes on workloads about disks of their nodes: running full, and having free space again.

The fault is a blocking one, so the node runs no new work until it is over. Running work continues and
would fail at its next write; only its owner can decide which files may be deleted.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from portal.workloads.state import transitions
from portal.workloads.state.exchange import Exchange
from scheduler.core.model.states import WorkloadState

Fault = Mapping[str, Any]
"""As in `Node.faults`."""

DISK_FAULTS: Final = frozenset({"disk_pressure", "disk_full"})
DISK_SHORT: Final = "node_disk_short"
DISK_RELIEVED: Final = "node_disk_relieved"
_NOTIFIED_STATES: Final = frozenset({WorkloadState.STARTING, WorkloadState.RUNNING})


def find_disk_shortage(faults: Collection[Fault]) -> dict[str, int] | None:
    """Return free space and size, in MiB, of the fullest disk among these faults; None without one."""
    found = [
        item for item in faults if item["code"] in DISK_FAULTS and item.get("free_mib") is not None
    ]
    if not found:
        return None
    worst = min(found, key=lambda item: int(item["free_mib"]))
    return {"free_mib": worst["free_mib"], "size_mib": worst["size_mib"]}


def record_disk_pressure(exchange: Exchange) -> None:
    """Write a note on running work when a shortage begins or ends.

    The node reports a disk near the limit with hysteresis, so that it causes only a few notes.
    """
    node, work = exchange.node, exchange.work
    before, after = find_disk_shortage(node.faults), find_disk_shortage(exchange.report.faults)
    if (before is None) == (after is None):
        return
    present = {item.workload_id for item in work.allocations}
    transitions.record_note(
        [
            row
            for key, row in work.workloads.items()
            if key in present and row.state in _NOTIFIED_STATES
        ],
        actor=exchange.actor,
        cause=DISK_SHORT if after else DISK_RELIEVED,
        params={"node": node.name, **(after or {})},
    )
