"""What each level of reservations leaves of a pool, and what work inside a reservation may use."""

from dataclasses import dataclass

import pytest

from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.reserved_views import ReservedViews
from scheduler.core.capacity.views import CapacityView, CapacityViewBuilder
from scheduler.core.model.advance_reservations import ReservationId
from scheduler.core.model.entities import AcceleratorId, NodeId
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, a_snapshot, a_waiting

COURSE, EXAM = ReservationId("course"), ReservationId("exam")
ALL = "n1.0 n1.1 n1.2 n1.3 n2.0 n2.1 n2.2 n2.3"


@dataclass
class Site:
    """Two nodes; `course` has two cards of the first, then `exam` three cards of the second."""

    free: CapacityView
    unreserved: CapacityView
    views: ReservedViews

    def take(self, card: str, *, of: CapacityView | None = None) -> None:
        """Let work hold a card with two CPUs, in both views unless one is named."""
        node = NodeId(card.partition(".")[0])
        for view in [of] if of is not None else [self.free, self.unreserved]:
            view[node] = _without(view[node], card)


def _without(capacity: NodeCapacity, card: str) -> NodeCapacity:
    return capacity.after_allocating(((AcceleratorId(card), 0),), 2000, 1024)


def _a_site() -> Site:
    snapshot = a_snapshot(
        nodes=["n1: 4 cards, 16 cpu, 64 GiB", "n2: 4 cards, 16 cpu, 64 GiB"],
        reservations=[
            "exam: 3 cards on n2, for lab, from 700 to 800",
            "course: 2 cards on n1, for lab, from 0 to 600",
        ],
    )
    free = CapacityViewBuilder(snapshot).build_free({})
    unreserved = {pool: view.copy() for pool, view in free.items()}
    views = ReservedViews(snapshot, free, unreserved)
    return Site(free[TRAINING], unreserved[TRAINING], views)


def _cards(view: CapacityView) -> str:
    return " ".join(card.view.id for node in view.values() for card in node.whole_cards())


LEVELS: dict[str, tuple[int, str]] = {
    "everything at no level": (0, ALL),
    "not the devices of the first to begin": (1, "n1.2 n1.3 n2.0 n2.1 n2.2 n2.3"),
    "nor those of the second": (2, "n1.2 n1.3 n2.3"),
    "no more than there is beyond that": (3, "n1.2 n1.3 n2.3"),
}


@pytest.mark.parametrize("backfills", [False, True], ids=["unreserved", "free"])
@pytest.mark.parametrize("row", LEVELS.values(), ids=LEVELS)
def test_cards_that_each_level_leaves(row: tuple[int, str], *, backfills: bool) -> None:
    level, expected = row

    assert _cards(_a_site().views.at_level(TRAINING, level, backfills=backfills)) == expected


def test_each_kept_card_takes_its_part_of_the_node_along() -> None:
    view = _a_site().views.at_level(TRAINING, 2, backfills=False)

    assert {node: each.cpu_milli for node, each in view.items()} == {N1: 8000, N2: 4000}
    assert {node: each.memory_mib for node, each in view.items()} == {N1: 32768, N2: 16384}


def test_a_card_that_is_held_anyway_keeps_no_part_of_the_node() -> None:
    site = _a_site()

    site.take("n1.0")

    view = site.views.at_level(TRAINING, 1, backfills=False)
    assert view[N1].cpu_milli == 16000 - 2000 - 4000


def test_backfill_looks_at_what_is_free_and_all_else_at_what_is_unreserved() -> None:
    site = _a_site()
    site.take("n2.0", of=site.unreserved)

    assert "n2.0" not in _cards(site.views.at_level(TRAINING, 1, backfills=False))
    assert "n2.0" in _cards(site.views.at_level(TRAINING, 1, backfills=True))
    assert "n2.0" not in _cards(site.views.at_level(TRAINING, 0, backfills=False))
    assert "n2.0" in _cards(site.views.at_level(TRAINING, 0, backfills=True))


def test_views_are_made_once_and_follow_what_happens() -> None:
    site = _a_site()
    first = site.views.at_level(TRAINING, 1, backfills=False)
    assert first.matrix is site.views.at_level(TRAINING, 1, backfills=False).matrix
    assert first is not site.views.at_level(TRAINING, 1, backfills=True)
    assert first is not site.views.at_level(TRAINING, 2, backfills=False)

    site.take("n1.3")

    assert _cards(first) == "n1.2 n2.0 n2.1 n2.2 n2.3"


def test_views_from_before_a_change_of_reservations_are_forgotten() -> None:
    site = _a_site()
    old = site.views.at_level(TRAINING, 1, backfills=False)
    inside = site.views.inside(site.views.reserved.get(COURSE))

    site.views.clear()
    site.take("n1.1")
    site.take("n1.3")

    assert site.views.at_level(TRAINING, 1, backfills=False) is not old
    assert site.views.inside(site.views.reserved.get(COURSE)) is not inside
    assert _cards(old) == "n1.2 n1.3 n2.0 n2.1 n2.2 n2.3"
    assert _cards(site.views.inside(site.views.reserved.get(COURSE))) == "n1.0"


def test_inside_only_the_reserved_cards_are_there() -> None:
    site = _a_site()

    assert _cards(site.views.inside(site.views.reserved.get(COURSE))) == "n1.0 n1.1"
    assert _cards(site.views.inside(site.views.reserved.get(EXAM))) == "n2.0 n2.1 n2.2"


def test_a_promised_start_on_them_does_not_keep_the_cards_from_work_inside() -> None:
    site = _a_site()
    inside = site.views.inside(site.views.reserved.get(COURSE))

    site.take("n1.0", of=site.unreserved)
    assert _cards(inside) == "n1.0 n1.1"
    site.take("n1.0", of=site.free)
    assert _cards(inside) == "n1.1"


CPU: dict[str, tuple[list[str], list[str], int]] = {
    "all that no promised start needs": ([], [], 16000),
    "what is left of the node": (["n1.2", "n1.3"], [], 12000),
    "their part although a promised start needs it": ([], ["n1.0", "n1.1", "n1.2", "n1.3"], 8000),
    "what no promised start needs where that is more": ([], ["n1.2", "n1.3"], 12000),
    "the part of what is free of them": (["n1.0"], ["n1.1", "n1.2", "n1.3"], 8000),
}


@pytest.mark.parametrize("row", CPU.values(), ids=CPU)
def test_cpu_for_work_inside(row: tuple[list[str], list[str], int]) -> None:
    held, promised, expected = row
    site = _a_site()
    for card in held:
        site.take(card)
    for card in promised:
        site.take(card, of=site.unreserved)

    assert site.views.inside(site.views.reserved.get(COURSE))[N1].cpu_milli == expected


def test_the_ledger_asks_for_the_level_of_each_work() -> None:
    ledger = a_ledger(
        ["n1: 4 cards"], reservations=["course: 2 cards on n1, for lab, from 3000 to 6000"]
    )
    short, long = a_waiting("1 cards, limit 2850"), a_waiting("1 cards, limit 3600")

    assert _cards(ledger.capacity_for(short, TRAINING)) == "n1.0 n1.1 n1.2 n1.3"
    assert _cards(ledger.capacity_for(long, TRAINING)) == "n1.2 n1.3"
    ledger.looks_ahead = True  # others must leave first, which takes their grace
    assert _cards(ledger.capacity_for(short, TRAINING)) == "n1.2 n1.3"
    ledger.looks_ahead = False
    with ledger.as_of(ledger.reserved.get(COURSE).windows[0].start):
        assert _cards(ledger.capacity_for(short, TRAINING)) == "n1.2 n1.3"
