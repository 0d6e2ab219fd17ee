"""Cards of a rare model are left to those who can use no others, as long as they will need them."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.placement.demand import PARTS, DemandMix
from scheduler.core.placement.node_table import CardSpec, NodeSpec, NodeTable
from scheduler.core.placement.placer import Placer
from scheduler.core.placement.scarcity import LEVELS, ScarcityPricing
from scheduler.core.placement.shape import Shape

ANY, RARE = (
    Shape(cpu_milli=4, memory_mib=4, gpus=1),
    Shape(cpu_milli=4, memory_mib=4, gpus=1, models=frozenset({"A"})),
)
SHARE, RARE_SHARE = (
    Shape(cpu_milli=2, gpu_milli=400),
    Shape(cpu_milli=2, gpu_milli=800, models=frozenset({"A"})),
)


def _node(model: str, cards: int = 4) -> NodeSpec:
    return NodeSpec(
        cpu_milli=4 * cards, memory_mib=4 * cards, cards=(CardSpec(model, memory_mib=80),) * cards
    )


def _mix(*shapes: tuple[Shape, int]) -> DemandMix:
    mix = DemandMix()
    for shape, times in shapes:
        for _ in range(times):
            mix.observe(shape)
    mix.publish()
    return mix


def _models(fleet: NodeTable, placer: Placer, shapes: Sequence[Shape]) -> list[str | None]:
    """Place one after the other and return the models that they got."""
    found: list[str | None] = []
    for shape in shapes:
        choice = placer.choose(shape)
        if choice is not None:
            fleet.allocate(choice.node, shape, choice.cards)
        found.append(fleet.kinds[fleet.kind[choice.node, 0]][0] if choice is not None else None)
    return found


def test_others_leave_a_rare_model_to_those_who_need_it() -> None:
    fleet = NodeTable([_node("A"), _node("B"), _node("B"), _node("B")])
    placer = Placer(fleet, _mix((ANY, 60), (RARE, 20)))

    assert _models(fleet, placer, (ANY,) * 12) == ["B"] * 12
    assert _models(fleet, placer, (RARE,) * 4) == ["A"] * 4


def test_a_rare_model_is_kept_whole_for_the_shares_that_need_it() -> None:
    fleet = NodeTable([_node("A"), _node("B"), _node("B")])
    placer = Placer(fleet, _mix((SHARE, 60), (RARE_SHARE, 30)))

    assert _models(fleet, placer, (SHARE,) * 16) == ["B"] * 16
    assert _models(fleet, placer, (RARE_SHARE,) * 4) == ["A"] * 4


def test_nothing_is_refused_for_what_may_come() -> None:
    fleet = NodeTable([_node("A"), _node("B")])
    placer = Placer(fleet, _mix((ANY, 10), (RARE, 70)))

    assert sorted(filter(None, _models(fleet, placer, (ANY,) * 9))) == ["A"] * 4 + ["B"] * 4


def test_plenty_costs_nothing_and_what_runs_out_costs_ever_more() -> None:
    fleet = NodeTable([_node("A", cards=8), *[_node("B", cards=8)] * 7])
    scarcity = ScarcityPricing(fleet, _mix((ANY, 3960), (RARE, 40)).constrained)
    seen = [scarcity.levels]
    for _ in range(8):
        fleet.allocate(0, ANY, (int((fleet.free[0] > 0).argmax()),))
        scarcity.update()
        seen.append(scarcity.levels)

    assert seen[0] == (0,)
    assert seen == sorted(seen)
    assert 0 < seen[-1][0] <= LEVELS


def test_work_that_any_card_suits_is_bound_to_nothing() -> None:
    fleet = NodeTable([_node("A"), _node("B")])
    both = Shape(gpus=1, models=frozenset({"A", "B"}))

    assert not ScarcityPricing(
        fleet, _mix((both, 50), (Shape(gpus=1, min_card_memory_mib=40), 50)).constrained
    ).levels
    assert not ScarcityPricing(
        fleet, _mix((Shape(gpus=1, models=frozenset({"C"})), 50)).constrained
    ).levels


def test_a_mix_tells_who_must_have_what_and_how_much_of_it() -> None:
    mix = _mix((ANY, 50), (RARE, 25), (RARE_SHARE, 25), (Shape(gpus=1, min_card_memory_mib=40), 10))
    bound, large = mix.constrained

    assert (bound.arrivals, large.arrivals) == (50, 10)
    assert bound.mean_milli == 900
    assert [shape for shape, _ in bound.shapes] == [RARE, RARE_SHARE]
    assert (bound.parts, large.parts) == (PARTS * 45 // 105, PARTS * 10 // 105)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7)), max_size=40))
def test_prices_are_those_of_the_fleet_however_it_came_to_be_so(
    changes: list[tuple[int, int]],
) -> None:
    nodes = [_node("A", cards=2), _node("B", cards=2)]
    bounds = _mix((ANY, 30), (RARE, 20), (RARE_SHARE, 20)).constrained
    fleet = NodeTable(nodes)
    scarcity = ScarcityPricing(fleet, bounds)
    held: list[tuple[int, Shape, tuple[int, ...]]] = []
    for which, where in changes:
        shape, node, cards = (ANY, RARE, SHARE, RARE_SHARE)[which], where % 2, (where // 2 % 2,)
        if where > 5 and held:
            fleet.release(*held.pop())
            continue
        if fleet.cpu[node] < shape.cpu_milli or fleet.memory[node] < shape.memory_mib:
            continue
        if fleet.free[node, cards[0]] >= shape.total_milli:
            fleet.allocate(node, shape, cards)
            held.append((node, shape, cards))
        scarcity.update()
    scarcity.update()

    assert scarcity.levels == ScarcityPricing(fleet.copy(), bounds).levels
