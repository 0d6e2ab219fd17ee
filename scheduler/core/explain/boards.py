"""The free capacity that a plan leaves in each pool: pages show it beside the queue."""

from collections import Counter
from collections.abc import Iterable

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, PoolView
from scheduler.core.model.plan import PoolBoard


def build_boards(ledger: Ledger, waiting: Iterable[PendingWorkload]) -> tuple[PoolBoard, ...]:
    """Return one board for each pool, by pool id."""
    queues = Counter([workload.pool for workload in waiting])
    lent = _count_lent_gpus(ledger)
    return tuple(
        _build_board(ledger, pool, queues[pool.id], lent)
        for pool in sorted(ledger.pools.values(), key=lambda pool: pool.id)
    )


def _build_board(
    ledger: Ledger, pool: PoolView, waiting: int, lent: Counter[tuple[PoolId, PoolId]]
) -> PoolBoard:
    nodes = tuple(ledger.free[pool.id].values())
    owned = [card for node in ledger.installed[pool.id].values() for card in node.cards]
    free = [card for node in nodes for card in node.cards]
    sliced = [card for card in free if card.view.is_sliced]
    per_card = [len(card.free_slots) for card in sliced]
    per_node = [len(node.whole_cards()) for node in nodes]
    return PoolBoard(
        pool=pool.id,
        gpus_total=len(owned),
        gpus_free=sum(card.is_untouched for card in free),
        slices_total=sum(card.view.slices for card in owned if card.view.is_sliced),
        slices_free=sum(per_card),
        largest_free=max(per_card if pool.slices_per_card > 1 else per_node, default=0),
        waiting=waiting,
        slices_in_pieces=sum(len(card.free_slots) for card in sliced if not card.is_untouched),
        gpus_lent=sum(cards for (owner, _), cards in lent.items() if owner == pool.id),
        gpus_borrowed=sum(cards for (_, borrower), cards in lent.items() if borrower == pool.id),
    )


def _count_lent_gpus(ledger: Ledger) -> Counter[tuple[PoolId, PoolId]]:
    """Return how many cards of each pool the work of each other pool holds."""
    cards: Counter[tuple[PoolId, PoolId]] = Counter()
    for work in ledger.running.values():
        for placement in work.placements:
            owner = ledger.pool_of.get(placement.node, work.pool)
            if owner != work.pool:
                cards[owner, work.pool] += len({card for card, _ in placement.devices})
    return cards
