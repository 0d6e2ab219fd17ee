"""What a placement takes from the work that is expected: who loses most, and what costs nothing."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from scheduler.core.placement.demand import PARTS, TypicalShape
from scheduler.core.placement.node_table import CardSpec, NodeSpec, NodeTable
from scheduler.core.placement.scoring import PackingScore
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

ONE, TWO, FOUR, EIGHT = (Shape(gpus=gpus) for gpus in (1, 2, 4, 8))
A = frozenset({"A"})


def _node(cards: int, free: int | None = None, model: str = "A", **amounts: int) -> NodeSpec:
    """Return a node with so many cards, of which the first are free; CPU and memory are plenty."""
    free = cards if free is None else free
    return NodeSpec(
        cpu_milli=amounts.get("cpu", 64_000),
        memory_mib=amounts.get("memory", 512_000),
        cards=tuple(
            CardSpec(model, 32_000, free_milli=MILLI_PER_GPU if index < free else 0)
            for index in range(cards)
        ),
        cpu_total_milli=64_000,
        memory_total_mib=512_000,
    )


def _typical(*shapes: tuple[Shape, int]) -> list[TypicalShape]:
    """Return shapes that come so often, in percent."""
    return [TypicalShape(shape, PARTS * percent // 100) for shape, percent in shapes]


def _changes(nodes: Sequence[NodeSpec], typical: Sequence[TypicalShape], shape: Shape) -> list[int]:
    """Return what whole cards for the shape would cost on each node, as negative numbers."""
    score = PackingScore(NodeTable(nodes), typical)
    return [int(each) for each in score.change_for_gpus(shape, np.arange(len(nodes)))]


Row = tuple[list[NodeSpec], list[TypicalShape], Shape, str]
"""Nodes, what is expected, what is placed; the numbers of the nodes, the cheapest first."""

GPUS: dict[str, Row] = {
    "a node that is broken up already before one that is whole": (
        [_node(8), _node(8, 5)],
        *(_typical((EIGHT, 50), (ONE, 50)), ONE, "1 0"),
    ),
    "whole cards are all that matters while nothing is known": (
        [_node(8), _node(8, 5)],
        *([], ONE, "0=1"),
    ),
    "only single cards are expected: every card is worth the same": (
        [_node(8), _node(8, 5), _node(4, 1)],
        *(_typical((ONE, 100)), ONE, "0=1=2"),
    ),
    "the odd card that no pair can use": (
        [_node(8), _node(8, 3)],
        *(_typical((TWO, 100)), ONE, "1 0"),
    ),
    "a pair out of five leaves three, out of four leaves two": (
        [_node(8, 4), _node(8, 5)],
        *(_typical((FOUR, 60), (TWO, 40)), ONE, "1 0"),
    ),
    "what has too little memory for anything expected": (
        [_node(8), _node(8, memory=1000)],
        *(_typical((Shape(gpus=1, memory_mib=2000), 100)), ONE, "1 0"),
    ),
    "what has too little CPU for anything expected": (
        [_node(8), _node(8, cpu=1000)],
        *(_typical((Shape(gpus=1, cpu_milli=2000), 100)), ONE, "1 0"),
    ),
    "just enough CPU for one is worth one": (
        [_node(8, cpu=2000), _node(8, cpu=1999)],
        *(_typical((Shape(gpus=1, cpu_milli=2000), 100)), Shape(gpus=1, cpu_milli=2000), "1 0"),
    ),
    "cards of a model that nobody else will want": (
        [_node(8), _node(8, model="B")],
        *(_typical((Shape(gpus=1, models=A), 100)), ONE, "1 0"),
    ),
    "cards of the model that fewer ask for": (
        [_node(8), _node(8, model="B")],
        *(
            _typical((Shape(gpus=1, models=A), 90), (Shape(gpus=1, models=frozenset({"B"})), 10)),
            ONE,
            "1 0",
        ),
    ),
}


@pytest.mark.parametrize("row", GPUS.values(), ids=GPUS)
def test_nodes_that_lose_least_by_giving_whole_cards(row: Row) -> None:
    nodes, typical, shape, expected = row

    changes = _changes(nodes, typical, shape)

    if "=" in expected:
        assert len(set(changes)) == 1
        assert changes[0] < 0
    else:
        ranked = sorted(range(len(nodes)), key=lambda number: -changes[number])
        assert " ".join(map(str, ranked)) == expected
        assert len(set(changes)) == len(changes)


NOTHING: dict[str, tuple[NodeSpec, Shape]] = {
    "a card beside what only eight can use": (_node(8, 7), EIGHT),
    "a card that the only expected model is not": (_node(8, model="B"), Shape(gpus=1, models=A)),
    "a card on a node without the CPU for more": (_node(8, cpu=500), Shape(gpus=1, cpu_milli=1000)),
    "a card on a node without the memory for more": (
        _node(8, memory=500),
        Shape(gpus=1, memory_mib=1000),
    ),
    "a card with too little of its own memory": (
        _node(8),
        Shape(gpus=1, min_card_memory_mib=40_000),
    ),
}


@pytest.mark.parametrize("row", NOTHING.values(), ids=NOTHING)
def test_what_costs_nobody_anything(row: tuple[NodeSpec, Shape]) -> None:
    node, expected = row
    # A second node can take what is expected, so that the shape has a price at all.
    rich = NodeSpec(64_000, 512_000, (CardSpec("A", 80_000),) * 8)

    changes = _changes([node, rich], _typical((expected, 100)), ONE)

    assert changes[0] == 0
    assert changes[1] < 0


def test_demand_without_cards_prices_nothing_and_counts_as_unknown() -> None:
    nodes = [_node(8), _node(8, 5)]
    only_cpu = _typical((Shape(cpu_milli=4000), 100))

    assert _changes(nodes, only_cpu, ONE) == _changes(nodes, [], ONE)


def test_the_order_of_equal_demand_and_of_nodes_does_not_matter() -> None:
    nodes = [_node(8), _node(8, 5), _node(4, 3), _node(8, 2, model="B")]
    typical = _typical((ONE, 40), (FOUR, 40), (Shape(gpus=2, models=A), 20))

    changes = _changes(nodes, typical, TWO)

    assert _changes(nodes[::-1], typical, TWO) == changes[::-1]
    mirrored = [typical[1], typical[0], typical[2]]
    assert _changes(nodes, mirrored, TWO) == changes


def test_cpu_and_memory_that_the_placement_takes_along_cost_too() -> None:
    typical = _typical((Shape(gpus=1, cpu_milli=8000, memory_mib=64_000), 100))
    nodes = [_node(8)]

    bare = _changes(nodes, typical, ONE)[0]
    with_cpu = _changes(nodes, typical, Shape(gpus=1, cpu_milli=16_000))[0]
    with_memory = _changes(nodes, typical, Shape(gpus=1, memory_mib=128_000))[0]

    assert with_cpu < bare < 0
    assert with_memory < bare


# Shares of a card.


def _share_costs(size: int, free: Sequence[int], *typical: tuple[Shape, int]) -> list[int]:
    """Return what a share would cost on cards with so much free, one card on each node."""
    nodes = [
        NodeSpec(64_000, 512_000, (CardSpec("A", 32_000, each), *(CardSpec("A", 32_000),) * 7))
        for each in free
    ]
    score = PackingScore(NodeTable(nodes), _typical(*typical))
    share = Shape(gpu_milli=size)
    changes = score.change_for_share(share, np.arange(len(nodes)), np.array(free, np.int64))
    return [int(each) for each in changes]


HALF, QUARTER = Shape(gpu_milli=500), Shape(gpu_milli=250)
SHARES: dict[str, tuple[int, list[int], list[tuple[Shape, int]], str]] = {
    "a card that is cut already before a whole one": (
        *(250, [1000, 500]),
        *([(QUARTER, 80), (ONE, 20)], "1 0"),
    ),
    "what is left over beside a half before the place of a half": (
        *(300, [1000, 800]),
        *([(HALF, 90), (Shape(gpu_milli=300), 10)], "1 0"),
    ),
    "a piece of which nobody could use the rest": (
        *(300, [500, 300]),
        *([(HALF, 50), (Shape(gpu_milli=300), 50)], "1 0"),
    ),
}


@pytest.mark.parametrize("row", SHARES.values(), ids=SHARES)
def test_cards_that_lose_least_by_giving_a_share(
    row: tuple[int, list[int], list[tuple[Shape, int]], str],
) -> None:
    size, free, typical, expected = row

    costs = _share_costs(size, free, *typical)

    ranked = sorted(range(len(free)), key=lambda number: -costs[number])
    assert " ".join(map(str, ranked)) == expected


# Values follow the table.


def _world(random: Random) -> tuple[NodeTable, list[TypicalShape]]:
    nodes = [
        NodeSpec(
            cpu_milli=random.choice([8_000, 32_000]),
            memory_mib=random.choice([64_000, 256_000]),
            cards=tuple(
                CardSpec(random.choice("AAB"), random.choice([32_000, 80_000]))
                for _ in range(random.choice([1, 2, 4, 8]))
            ),
        )
        for _ in range(4)
    ]
    shapes = [
        Shape(
            gpus=random.choice([1, 1, 2, 4, 8]),
            cpu_milli=random.choice([0, 1000, 4000]),
            memory_mib=random.choice([0, 8000, 32_000]),
            models=random.choice([frozenset(), frozenset(), A]),
        )
        for _ in range(3)
    ] + [Shape(gpu_milli=random.choice([100, 250, 500]), cpu_milli=500)]
    return NodeTable(nodes), _typical(*((shape, 25) for shape in shapes))


def _allocate_one(table: NodeTable, random: Random) -> bool:
    """Let some work take one or two cards, or a share, of some node; return whether it did."""
    node = random.randrange(table.size)
    whole = [card for card in range(table.free.shape[1]) if table.free[node, card] == MILLI_PER_GPU]
    shape = random.choice([ONE, TWO, Shape(gpu_milli=250), Shape(gpus=1, cpu_milli=2000)])
    cards = whole[: max(shape.gpus, 1)]
    if len(cards) < max(shape.gpus, 1) or table.cpu[node] < shape.cpu_milli:
        return False
    table.allocate(node, shape, cards)
    return True


@pytest.mark.parametrize("seed", range(12))
def test_values_that_followed_the_table_are_those_of_a_new_score(seed: int) -> None:
    random = Random(seed)
    table, typical = _world(random)
    followed, nodes = PackingScore(table, typical), np.arange(table.size)
    changed = 0
    for _ in range(12):
        changed += _allocate_one(table, random)
        for shape in (ONE, TWO, Shape(gpus=1, cpu_milli=3000, memory_mib=9000)):
            fitting = nodes[(table.free == MILLI_PER_GPU).sum(axis=1) >= shape.gpus]
            anew = PackingScore(table, typical).change_for_gpus(shape, fitting)
            assert followed.change_for_gpus(shape, fitting).tolist() == anew.tolist()
    assert changed > 3


@pytest.mark.parametrize("seed", range(12))
def test_two_placements_cost_the_same_in_either_order(seed: int) -> None:
    random = Random(seed)
    table, typical = _world(random)
    score = PackingScore(table, typical)
    for node in range(table.size):
        if table.installed[node] < 2:
            continue
        here, one, other = np.array([node]), ONE, Shape(gpus=1, cpu_milli=2000, memory_mib=4000)
        totals = []
        for first, second in ((one, other), (other, one)):
            total = int(score.change_for_gpus(first, here)[0])
            table.allocate(node, first, (0,))
            total += int(score.change_for_gpus(second, here)[0])
            table.release(node, first, (0,))
            totals.append(total)
        assert totals[0] == totals[1]


@pytest.mark.parametrize("seed", range(12))
def test_no_placement_makes_a_node_worth_more(seed: int) -> None:
    random = Random(seed)
    table, typical = _world(random)
    score, nodes = PackingScore(table, typical), np.arange(table.size)

    for milli in (1, 100, 250, 333, 500, 999):
        share = Shape(gpu_milli=milli, cpu_milli=100)
        free = np.full(table.size, MILLI_PER_GPU)
        assert (score.change_for_share(share, nodes, free) <= 0).all()
    for gpus in range(1, 9):
        fitting = nodes[table.installed >= gpus]
        assert (score.change_for_gpus(Shape(gpus=gpus), fitting) <= 0).all()


def test_an_earlier_placement_on_one_node_leaves_the_cost_of_the_others() -> None:
    table = NodeTable([_node(8), _node(8), _node(8)])
    score, nodes = PackingScore(table, _typical((EIGHT, 50), (ONE, 50))), np.arange(3)
    before = score.change_for_gpus(ONE, nodes).tolist()

    table.allocate(1, ONE, (0,))

    after = score.change_for_gpus(ONE, nodes).tolist()
    assert after[0] == before[0] == after[2]
    assert after[1] > before[1]
