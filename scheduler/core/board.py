"""The free capacity that a plan leaves: what pages show beside the queue."""

from collections import Counter
from collections.abc import Iterable

from scheduler.core.entities import PendingWorkload, PoolView
from scheduler.core.ledger import Ledger
from scheduler.core.plan import PoolBoard


def boards(ledger: Ledger, waiting: Iterable[PendingWorkload]) -> tuple[PoolBoard, ...]:
    """Return one board for each pool, by pool id."""
    queues = Counter(workload.pool for workload in waiting)
    return tuple(
        _board(ledger, pool, queues[pool.id])
        for pool in sorted(ledger.pools.values(), key=lambda pool: pool.id)
    )


def _board(ledger: Ledger, pool: PoolView, waiting: int) -> PoolBoard:
    rooms = tuple(ledger.free[pool.id].values())
    owned = [card for room in ledger.installed[pool.id].values() for card in room.cards]
    free = [card for room in rooms for card in room.cards]
    per_card = [len(card.free) for card in free if card.view.shared]
    per_node = [len(room.whole_cards()) for room in rooms]
    return PoolBoard(
        pool=pool.id,
        cards_total=len(owned),
        cards_free=sum(card.untouched for card in free),
        slices_total=sum(card.view.slices for card in owned if card.view.shared),
        slices_free=sum(per_card),
        largest_free=max(per_card if pool.slices_per_card > 1 else per_node, default=0),
        waiting=waiting,
    )
