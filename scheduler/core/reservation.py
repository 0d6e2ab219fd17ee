"""Protection of big work: the first blocked workload of a pool keeps what it is waiting for.

Whatever is free on the best nodes for it is taken out of the open view, up to its need, so that
smaller work behind it may use only the rest. What is kept never shrinks from one cycle to the
next, while running work ends: so the workload starts in the end, however much work overtakes it
elsewhere. Its quota is kept too, from the work behind it in the same pool: a queue for cards
must not stop its group's notebooks.
"""

from collections import Counter

from scheduler.core.entities import NodeId, PendingWorkload, Request
from scheduler.core.filters import replicas_that_fit
from scheduler.core.gang import choose_devices
from scheduler.core.ledger import Ledger
from scheduler.core.room import Room

Lack = tuple[int, int, int]


def keep_room_for(workload: PendingWorkload, ledger: Ledger) -> bool:
    """Keep room for every replica; return False, and keep nothing, if the pool is too small today.

    Only nodes that could take the replica once they are empty count: a workload that waits for a
    broken node must not idle the healthy ones.
    """
    mark = ledger.mark()
    capacity = {
        room.node: replicas_that_fit(workload.request, room)
        for room in ledger.usable[workload.pool].values()
    }
    kept: Counter[NodeId] = Counter()
    for _ in range(workload.request.replicas):
        candidates = [
            room
            for room in ledger.open[workload.pool].values()
            if kept[room.node] < capacity[room.node]
        ]
        if not candidates:
            ledger.undo(mark)
            return False
        room = min(candidates, key=lambda room: (_lack(workload.request, room), room.node))
        ledger.keep_replica(workload, room, choose_devices(workload.request, room))
        kept[room.node] += 1
    ledger.keep(workload)
    return True


def _lack(request: Request, room: Room) -> Lack:
    """Return how much the room lacks for one replica: devices, CPU, memory."""
    if request.slices > 0:
        most = max((len(card.free) for card in room.cut_cards(request)), default=0)
        devices = request.slices - most
    else:
        devices = request.cards - len(room.whole_cards(request))
    return max(devices, 0), max(request.cpu - room.cpu, 0), max(request.memory - room.memory, 0)
