"""The capacity of one node as work takes and returns parts of it."""

from dataclasses import replace

import pytest

from scheduler.core.capacity.node_capacity import CardCapacity, NodeCapacity, free_devices
from scheduler.core.model.entities import AcceleratorId, NodeId, Request
from scheduler.core.model.mig import MigProfileSpec
from tests.scheduler.core.tables import TRAINING, a_ledger

A, B = AcceleratorId("n1.0"), AcceleratorId("n1.1")


def _node(words: str = "2 cards, 8 cpu, 16 GiB", *running: str, pool: str = "") -> NodeCapacity:
    ledger = a_ledger([f"n1: {words}"], running, pools=[f"training: {pool}"])
    return ledger.free[TRAINING][NodeId("n1")]


def test_what_is_taken_is_not_free_and_what_is_returned_is_again() -> None:
    node = _node()

    taken = node.after_allocating(((A, 0),), cpu=3000, memory=1024)

    assert (taken.cpu_milli, taken.memory_mib) == (5000, 15 * 1024)
    assert [card.view.id for card in taken.whole_cards()] == [B]
    assert taken.after_releasing(((A, 0),), cpu=3000, memory=1024) == node


def test_a_share_leaves_the_rest_of_its_card_to_other_shares_only() -> None:
    node = _node()

    shared = node.after_allocating(((A, 0),), 0, 0, share=300, share_mib=4096)
    twice = shared.after_allocating(((A, 0),), 0, 0, share=200, share_mib=1024)

    card = twice.cards[0]
    assert (card.shared_milli, card.shared_mib) == (500, 5120)
    assert not card.is_untouched
    assert [each.view.id for each in twice.whole_cards()] == [B]
    assert twice.after_releasing(((A, 0),), 0, 0, share=200, share_mib=1024) == shared
    assert shared.after_releasing(((A, 0),), 0, 0, share=300, share_mib=4096) == node


def test_slices_are_taken_one_by_one_and_a_card_with_a_hole_is_touched() -> None:
    node = _node(pool="4 slices of 8192 MiB")

    cut = node.after_allocating(((A, 1), (A, 2)), 0, 0)

    assert cut.cards[0].free_slots == {0, 3}
    assert [card.is_untouched for card in cut.cards] == [False, True]
    assert cut.count_slice_requests(Request(slices=2)) == 1 + 2
    assert cut.after_releasing(((A, 2),), 0, 0).cards[0].free_slots == {0, 2, 3}


def test_devices_of_a_card_that_is_away_are_neither_free_nor_returned() -> None:
    node = _node("1 cards")

    assert free_devices([(A, 0), (B, 0)], node) == ((A, 0),)
    assert node.after_releasing(((B, 0),), 0, 0) == node
    assert free_devices([(A, 0)], node.after_allocating(((A, 0),), 0, 0)) == ()


Whole = tuple[str, str, Request | None, int]
"""The node, the pool's cut, the request; how many whole cards suit it."""

WHOLE: dict[str, Whole] = {
    "all of them": ("2 cards", "", None, 2),
    "of any request": ("2 cards", "", Request(gpus=1), 2),
    "of the model": ("2 cards", "", Request(gpus=1, gpu_models=frozenset({"A"})), 2),
    "none of another model": ("2 cards", "", Request(gpus=1, gpu_models=frozenset({"B"})), 0),
    "none that is too large for a quota": (
        *("2 cards", ""),
        *(Request(gpus=1, max_card_memory_mib=100), 0),
    ),
    "none that is cut into slices": ("2 cards", "4 slices of 8192 MiB", None, 0),
}


@pytest.mark.parametrize("row", WHOLE.values(), ids=WHOLE)
def test_whole_cards_that_suit_a_request(row: Whole) -> None:
    words, pool, request, expected = row

    assert len(_node(words, pool=pool).whole_cards(request)) == expected


def test_full_cards_are_among_those_that_are_cut() -> None:
    node = _node("2 cards", "x: 4 slices on n1", pool="4 slices of 8192 MiB")

    assert [len(card.free_slots) for card in node.sliced_cards()] == [0, 4]
    assert len(node.sliced_cards(Request(slices=1, gpu_models=frozenset({"B"})))) == 0
    assert _node().sliced_cards() == ()


PROFILES = (
    MigProfileSpec("1g.10gb", 10240, 1, 1, tuple(range(7))),
    MigProfileSpec("3g.40gb", 40960, 3, 4, (0, 4)),
)
MIG: dict[str, tuple[str, set[int], int]] = {
    "two halves of an empty card": ("3g.40gb", set(range(8)), 2),
    "one where the other half has a hole": ("3g.40gb", {0, 1, 2, 3, 5, 6, 7}, 1),
    "none where enough slices are free in the wrong place": ("3g.40gb", {1, 2, 3, 4, 5, 6}, 0),
    "small ones wherever they may begin": ("1g.10gb", {1, 3, 6, 7}, 3),
    "none on a full card": ("1g.10gb", set(), 0),
    "none of a profile that the card does not have": ("2g.20gb", set(range(8)), 0),
}


@pytest.mark.parametrize("row", MIG.values(), ids=MIG)
def test_instances_that_fit_on_a_card_with_partitions(row: tuple[str, set[int], int]) -> None:
    name, free, expected = row
    (card,) = _node("1 cards", pool="8 slices of 10240 MiB").cards
    view = replace(card.view, mig_profiles=PROFILES)
    node = NodeCapacity(NodeId("n1"), 0, 0, (CardCapacity(view, frozenset(free)),))
    size = next((each.size for each in PROFILES if each.name == name), 2)

    found = node.count_slice_requests(Request(slices=size, mig_profile=name))

    assert found == expected
