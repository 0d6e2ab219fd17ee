"""The cluster while a cycle decides: four nested views of the same rooms, and the quotas.

    installed ⊇ usable ⊇ free ⊇ open

`installed` is what the site owns, `usable` what is healthy today, `free` what nobody holds, and
`open` what is free and not kept for a workload that is first in line. Work is placed in `open`;
the largest view in which it does *not* fit is the reason why it waits.
"""

from collections.abc import Iterable
from typing import Final

from scheduler.core.entities import PendingWorkload, Placement, PoolId
from scheduler.core.journal import Journal, Mark
from scheduler.core.quota import QuotaBook
from scheduler.core.room import (
    Devices,
    Room,
    RoomsByPool,
    free_rooms,
    installed_rooms,
    usable_rooms,
)
from scheduler.core.snapshot import Snapshot


class Ledger:
    """A mutable copy of a snapshot for the length of one cycle."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Copy the snapshot; it is never written to."""
        self._journal = Journal()
        self.pools: Final = {pool.id: pool for pool in snapshot.pools}
        self.installed: Final = installed_rooms(snapshot)
        self.usable: Final = usable_rooms(snapshot)
        self.free: Final = free_rooms(snapshot)
        self.open: Final = free_rooms(snapshot)
        self.quotas: Final = QuotaBook(snapshot, self._journal)
        self.kept_for: Final[dict[PoolId, PendingWorkload]] = {}
        """The first blocked workload of each pool, for which room and quota are kept."""

    def place(self, workload: PendingWorkload, placements: Iterable[Placement]) -> None:
        """Start the workload: what it holds is neither free nor open any longer."""
        for view in (self.free, self.open):
            for placement in placements:
                room = view[workload.pool][placement.node]
                self._take(view, workload, room, placement.devices)
        self.quotas.charge(workload)

    def keep_replica(self, workload: PendingWorkload, room: Room, devices: Devices) -> None:
        """Close these devices to others, with as much of one replica's CPU and memory as is free."""
        self._take(self.open, workload, room, devices)

    def keep(self, workload: PendingWorkload) -> None:
        """Note for whom room is kept."""
        self._journal.write(self.kept_for, workload.pool, workload)

    def mark(self) -> Mark:
        """Return the present moment, to come back to."""
        return self._journal.mark()

    def undo(self, mark: Mark) -> None:
        """Forget everything decided since the mark."""
        self._journal.undo(mark)

    def _take(
        self, view: RoomsByPool, workload: PendingWorkload, room: Room, devices: Devices
    ) -> None:
        left = room.without(devices, workload.request.cpu, workload.request.memory)
        self._journal.write(view[workload.pool], room.node, left)
