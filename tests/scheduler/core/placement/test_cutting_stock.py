"""What is left of a cut card: the patterns that waste least, and what follows for placement."""

from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.placement.cutting_stock import residual_values
from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.node_table import CardSpec, NodeSpec, NodeTable
from scheduler.core.placement.placer import Choice, Placer
from scheduler.core.placement.shape import MILLI_PER_GPU, Shape

CARD = 1_000_000


def test_equal_parts_are_worth_equal_parts_of_a_card() -> None:
    worth = residual_values({250: 5, 500: 3}, CARD)

    assert [int(worth[rest]) for rest in (249, 250, 500, 750, MILLI_PER_GPU)] == [
        0,
        CARD // 4,
        CARD // 2,
        CARD * 3 // 4,
        CARD,
    ]


def test_what_only_fits_alone_is_worth_a_card_and_its_rest_nothing() -> None:
    worth = residual_values({810: 10, 470: 10}, CARD)

    assert worth[810] == CARD
    assert worth[470] == CARD // 2
    assert worth[190] == 0


def test_a_size_is_dear_when_its_partner_is_rare() -> None:
    """650 and 350 fill a card together; whoever comes more often needs cards of its own."""
    more_large = residual_values({650: 9, 350: 3}, CARD)
    more_small = residual_values({650: 3, 350: 9}, CARD)

    assert (more_large[650], more_large[350]) == (CARD, 0)
    assert (more_small[650], more_small[350]) == (CARD // 2, CARD // 2)


def test_without_shares_no_rest_is_worth_anything() -> None:
    assert not residual_values({}, CARD).any()


@given(st.dictionaries(st.integers(1, 999), st.integers(1, 1000), max_size=12))
def test_prices_are_sound(demand: dict[int, int]) -> None:
    """No rest is worth more than a card or than a larger rest; two rests never more than both."""
    worth = residual_values(demand, CARD).tolist()

    assert worth == sorted(worth)
    assert worth[MILLI_PER_GPU] <= CARD + 1
    for size in demand:
        assert worth[size] + worth[MILLI_PER_GPU - size] <= worth[MILLI_PER_GPU] + 2


def test_a_share_leaves_a_rest_to_those_that_fill_it() -> None:
    """Three of 320 fill a card, so 280 does not go beside one of them, but beside 410."""
    first, second = (Choice(node, (0,)) for node in (0, 1))
    rests = (MILLI_PER_GPU - 320, MILLI_PER_GPU - 410)

    assert _choices(280, (320, 320, 320, 410, 410, 280), rests, full=60) == second
    assert _choices(320, (320, 320, 320, 410, 410, 280), rests, full=60) == first


def test_a_small_fleet_keeps_its_cards_whole() -> None:
    """500 would fill the other half for sure, if there were more than two cards to wait for it."""
    first, second = (Choice(node, (0,)) for node in (0, 1))
    asked = (500, 500, 300, 300, 300, MILLI_PER_GPU, MILLI_PER_GPU)

    assert _choices(300, asked, (500, MILLI_PER_GPU), full=0) == first
    assert _choices(300, asked, (500, MILLI_PER_GPU), full=600) == second


def _choices(
    share: int, asked: tuple[int, ...], rests: tuple[int, ...], full: int
) -> Choice | None:
    """Return where a share goes: cards with these rests, beside others that are full."""
    mix = DemandMix()
    for size in asked * 50:
        mix.observe(Shape(gpus=1) if size == MILLI_PER_GPU else Shape(gpu_milli=size))
    mix.publish()
    free = (*rests, *(0,) * full)
    fleet = NodeTable([NodeSpec(64, 64, (CardSpec(free_milli=each),)) for each in free])
    return Placer(fleet, mix).choose(Shape(gpu_milli=share))
