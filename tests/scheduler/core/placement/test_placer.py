"""The kernel against a brute force, on generated fleets and requests."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.model.policy import Packing
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.locality import COMPLETE
from scheduler.core.placement.node_table import CardSpec, NodeSpec, NodeTable
from scheduler.core.placement.placer import Choice, Placer
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

MODELS = ("A10", "H100")
MANY = 200
"""Nodes of each build, fewer than are scored one by one."""


def cards(max_size: int) -> st.SearchStrategy[tuple[CardSpec, ...]]:
    card = st.builds(
        CardSpec,
        model=st.sampled_from(MODELS),
        memory_mib=st.sampled_from((16_000, 80_000)),
        island=st.integers(0, 1),
        allows_whole=st.sampled_from((True, True, True, False)),
        allows_shares=st.sampled_from((True, True, True, False)),
    )
    return st.lists(card, max_size=max_size).map(tuple)


nodes = st.builds(
    NodeSpec, cpu_milli=st.integers(0, 64), memory_mib=st.integers(0, 64), cards=cards(max_size=4)
)
few = settings(max_examples=40)
fleets = st.lists(nodes, min_size=1, max_size=6)


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    kind = draw(st.sampled_from(("cpu", "whole", "share")))
    return Shape(
        cpu_milli=draw(st.integers(0, 24)),
        memory_mib=draw(st.integers(0, 24)),
        gpus=draw(st.integers(1, 4)) if kind == "whole" else 0,
        gpu_milli=draw(st.sampled_from((125, 330, 500, 999))) if kind == "share" else 0,
        gpu_memory_mib=draw(st.sampled_from((0, 9_000))) if kind == "share" else 0,
        models=draw(st.sampled_from((frozenset(), frozenset({"H100"}))))
        if kind != "cpu"
        else frozenset(),
        min_card_memory_mib=draw(st.sampled_from((0, 40_000))) if kind != "cpu" else 0,
    )


@dataclass
class Site:
    """The same amounts, kept the slow way."""

    specs: list[NodeSpec]
    held: list[tuple[Choice, Shape]] = field(default_factory=list)

    def fits(self, node: int, shape: Shape) -> bool:
        spec = self.specs[node]
        here = [(choice, held) for choice, held in self.held if choice.node == node]
        if sum(held.cpu_milli for _, held in here) + shape.cpu_milli > spec.cpu_milli:
            return False
        if sum(held.memory_mib for _, held in here) + shape.memory_mib > spec.memory_mib:
            return False
        good = 0
        for column, card in enumerate(spec.cards):
            on_it = [held for choice, held in here if column in choice.cards]
            free = MILLI_PER_GPU - sum(held.gpu_milli or MILLI_PER_GPU for held in on_it)
            free_mib = card.memory_mib - sum(held.gpu_memory_mib for held in on_it)
            good += (
                free >= (shape.gpu_milli or MILLI_PER_GPU)
                and free_mib >= shape.gpu_memory_mib
                and (not shape.models or card.model in shape.models)
                and card.memory_mib >= shape.min_card_memory_mib
                and (card.allows_shares if shape.gpu_milli else card.allows_whole)
            )
        return good >= (1 if shape.gpu_milli else shape.gpus)


def _nodes_that_take(placer: Placer, shape: Shape) -> list[bool]:
    """Offer one node after the other."""
    return [
        placer.choose(shape, np.arange(placer.table.size) == node) is not None
        for node in range(placer.table.size)
    ]


@few
@given(fleets, st.lists(shapes(), max_size=12), st.sampled_from(Packing), st.data())
def test_it_chooses_a_node_with_room_whenever_there_is_one(
    specs: list[NodeSpec], arrivals: list[Shape], packing: Packing, data: st.DataObject
) -> None:
    site, fleet = Site(specs), NodeTable(specs)
    placer = Placer(fleet, DemandMix(), packing)
    for shape in arrivals:
        placer.mix.observe(shape)
        if shape.gpus:
            placer.mix.publish()
        roomy = [site.fits(node, shape) for node in range(len(specs))]
        assert _nodes_that_take(placer, shape) == roomy
        choice = placer.choose(shape)
        assert (choice is not None) == any(roomy)
        if choice is not None:
            assert roomy[choice.node]
            fleet.allocate(choice.node, shape, choice.cards)
            site.held.append((choice, shape))
        if len(site.held) > data.draw(st.integers(0, 8)):
            gone, ended = site.held.pop(0)
            fleet.release(gone.node, ended, gone.cards)


@few
@given(fleets, st.lists(shapes(), max_size=12), st.sampled_from(Packing))
def test_what_it_remembers_changes_no_choice(
    specs: list[NodeSpec], arrivals: list[Shape], packing: Packing
) -> None:
    mix = DemandMix()
    for shape in arrivals:
        mix.observe(shape)
    mix.publish()
    remembering, forgetful = (Placer(NodeTable(specs), mix, packing) for _ in range(2))
    for shape in (*arrivals, *arrivals):
        forgetful = Placer(forgetful.table, mix, packing)
        choice = remembering.choose(shape)
        assert choice == forgetful.choose(shape)
        if choice is not None:
            for placer in (remembering, forgetful):
                placer.table.allocate(choice.node, shape, choice.cards)


@settings(max_examples=15)
@given(
    builds=st.lists(nodes, min_size=1, max_size=4),
    wanted=st.lists(shapes(), min_size=1, max_size=8),
    packing=st.sampled_from(Packing),
    seed=st.integers(0, 999),
)
def test_one_idle_node_stands_for_all_that_are_built_like_it(
    builds: list[NodeSpec], wanted: list[Shape], packing: Packing, seed: int
) -> None:
    """The scores of many nodes at once are those of a part of them after the other."""
    table, mix = NodeTable([*builds, *map(_for_whole_gpus, builds)] * MANY), DemandMix()
    chance = np.random.default_rng(seed)
    for shape in wanted:
        mix.observe(shape)
    mix.publish()
    in_parts = Placer(table, mix, packing)
    for shape in (*wanted, *wanted):
        choice = in_parts.choose(shape, chance.random(table.size) < 0.5)
        if choice is not None:
            table.allocate(choice.node, shape, choice.cards)
    for begin in range(0, table.size, MANY):
        _touch(table, range(begin, begin + MANY))
        for shape in wanted:
            in_parts.choose(shape)
    at_once = Placer(table, mix, packing)
    for shape in wanted * 4:
        allowed = chance.random(table.size) < 0.1
        assert at_once.choose(shape, allowed) == in_parts.choose(shape, allowed)


def _for_whole_gpus(spec: NodeSpec) -> NodeSpec:
    return replace(spec, cards=tuple(replace(card, allows_shares=False) for card in spec.cards))


def _touch(table: NodeTable, nodes: range) -> None:
    """Change nodes to what they are."""
    for node in nodes:
        table.allocate(node, Shape(), ())


@few
@given(fleets, st.lists(shapes(), max_size=12))
def test_giving_everything_back_leaves_the_fleet_as_it_was(
    specs: list[NodeSpec], arrivals: list[Shape]
) -> None:
    fleet, untouched = NodeTable(specs), NodeTable(specs)
    placer = Placer(fleet)
    held = []
    for shape in arrivals:
        if (choice := placer.choose(shape)) is not None:
            fleet.allocate(choice.node, shape, choice.cards)
            held.append((choice, shape))
    for choice, shape in held:
        fleet.release(choice.node, shape, choice.cards)

    for name in ("cpu", "memory", "free", "free_mib"):
        assert np.array_equal(getattr(fleet, name), getattr(untouched, name))


@few
@given(fleets, st.lists(shapes(), min_size=1, max_size=10), st.data())
def test_only_allowed_nodes_are_chosen(
    specs: list[NodeSpec], arrivals: list[Shape], data: st.DataObject
) -> None:
    placer = Placer(NodeTable(specs))
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(specs), max_size=len(specs))))
    for shape in arrivals:
        choice = placer.choose(shape, allowed)
        takes = np.array(_nodes_that_take(placer, shape))
        assert (choice is not None) == bool((takes & allowed).any())
        assert choice is None or allowed[choice.node]


def test_more_than_there_is_cannot_be_taken() -> None:
    fleet = NodeTable([NodeSpec(4, 4, (CardSpec("A10", 24_000),))])
    fleet.allocate(0, Shape(cpu_milli=4, gpu_milli=600), (0,))

    for refused, held in (
        (Shape(cpu_milli=1), ()),
        (Shape(memory_mib=5), ()),
        (Shape(gpu_milli=600), (0,)),
        (Shape(gpus=1), (0,)),
        (Shape(gpu_milli=100), ()),
        (Shape(gpu_milli=100, gpu_memory_mib=30_000), (0,)),
    ):
        with pytest.raises(ValueError, match=r"less than that|do not match"):
            fleet.allocate(0, refused, held)
    assert (fleet.cpu[0], fleet.memory[0], fleet.free[0, 0]) == (0, 4, 400)


def test_what_was_not_taken_cannot_be_given_back() -> None:
    fleet = NodeTable([NodeSpec(4, 4, (CardSpec(),))])

    with pytest.raises(ValueError, match="not taken"):
        fleet.release(0, Shape(gpus=1), (0,))


def test_whole_cards_come_from_one_island_and_leave_the_larger_one_alone() -> None:
    islands = (0, 0, 0, 1, 1)
    fleet = NodeTable([NodeSpec(8, 8, tuple(CardSpec(island=island) for island in islands))])

    assert Placer(fleet).choose(Shape(gpus=2)) == Choice(0, (3, 4))
    assert Placer(fleet).choose(Shape(gpus=3)) == Choice(0, (0, 1, 2))


def test_packing_fills_up_and_spreading_starts_with_the_emptiest() -> None:
    specs = [NodeSpec(8, 8, (CardSpec(), CardSpec())) for _ in range(3)]
    for packing, expected in ((Packing.PACK, {0}), (Packing.SPREAD, {0, 1, 2})):
        mix = DemandMix()
        mix.observe(Shape(gpus=2))
        mix.observe(Shape(gpu_milli=250))
        mix.publish()
        placer = Placer(NodeTable(specs), mix, packing)
        used = set()
        for _ in range(4):
            choice = placer.choose(Shape(gpu_milli=250))
            assert choice is not None
            placer.table.allocate(choice.node, Shape(gpu_milli=250), choice.cards)
            used.add(choice.node)
        assert used == expected


def test_copies_are_worth_one_more_gpu_in_use_when_work_is_spread() -> None:
    specs = [NodeSpec(8000, 8, (CardSpec(),) * 4) for _ in range(3)]
    placer = Placer(NodeTable(specs), packing=Packing.SPREAD)
    has_all_on_last = np.array([0, 0, COMPLETE])
    one = Shape(cpu_milli=100, gpus=1)

    chosen = []
    for _ in range(3):
        choice = placer.choose(one, locality=has_all_on_last)
        assert choice is not None
        placer.table.allocate(choice.node, one, choice.cards)
        chosen.append(choice.node)

    assert chosen == [2, 0, 1]


def test_copies_decide_only_among_what_fits_and_is_allowed() -> None:
    placer = Placer(
        NodeTable([NodeSpec(8, 8, (CardSpec(),)), NodeSpec(8, 8), NodeSpec(8, 8, (CardSpec(),))])
    )
    local = np.array([0, COMPLETE, 500])

    choices = [
        placer.choose(Shape(gpus=1), allowed, local)
        for allowed in (None, np.array([True, True, False]), np.array([False, True, False]))
    ]

    assert [choice and choice.node for choice in choices] == [2, 0, None]


def test_a_request_makes_sense() -> None:
    for cpu, cards_wanted, share in ((-1, 0, 0), (1, 1, 500), (1, 0, 1000)):
        with pytest.raises(ValueError, match="request"):
            Shape(cpu_milli=cpu, gpus=cards_wanted, gpu_milli=share)
