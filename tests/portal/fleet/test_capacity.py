"""Counting, without a database."""

from uuid import UUID

from portal.fleet.capacity import FleetCard, PoolCapacity, count_capacity, count_limits

POOL = UUID(int=1)


def a_card(node: int, *, slices: int = 1, taken: int = 0, usable: bool = True) -> FleetCard:
    return FleetCard(POOL, UUID(int=node), "X", 32768, slices, taken, usable, is_simulated=False)


def test_an_empty_pool_has_nothing() -> None:
    assert count_capacity((), nodes=0, waiting=0) == PoolCapacity()
    assert count_limits((), (), 100).gpus_max == 0


def test_largest_free_of_whole_cards_is_what_one_node_can_give() -> None:
    cards = [a_card(1), a_card(1, taken=1), a_card(2), a_card(2), a_card(2, usable=False)]
    found = count_capacity(cards, nodes=2, waiting=0)
    assert (found.gpus_total, found.gpus_free, found.largest_free) == (5, 3, 2)
    assert (found.slices_total, found.slices_free) == (0, 0)


def test_largest_free_of_slices_is_what_one_card_can_give() -> None:
    cards = [a_card(1, slices=8, taken=5), a_card(1, slices=8, taken=2)]
    found = count_capacity(cards, nodes=1, waiting=0)
    assert (found.slices_free, found.largest_free, found.gpus_free) == (9, 6, 0)
