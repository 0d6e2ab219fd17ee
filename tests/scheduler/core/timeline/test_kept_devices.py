"""What advance reservations keep on a pool's timeline: when work may stay, and what a node has left."""

import pytest

from scheduler.core.capacity.reserved_devices import ReservedCapacity
from scheduler.core.model.advance_reservations import ReservationId
from scheduler.core.model.entities import AcceleratorId, Millis
from scheduler.core.timeline.kept_devices import KeptDevices, KeptDevicesCache
from scheduler.core.timeline.node_reservation import FREE_NOW, Release
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, a_snapshot

COURSE = frozenset({ReservationId("course")})
SITE = a_snapshot(
    pools=["training", "other"],
    nodes=["n1: 4 cards, 8 cpu, 16 GiB", "n2: 4 cards"],
    reservations=["course: 2 cards on n1, from 600 to 900"],
)


def _kept() -> KeptDevices:
    return KeptDevices(ReservedCapacity(SITE), TRAINING, Millis(0))


Row = tuple[str, int, int, int | None]
"""A card, the wanted start and the stay in seconds; from when on it may stay, in milliseconds."""

ALLOWED: dict[str, Row] = {
    "a card that is not reserved, whenever": ("n1.3", 0, 9999, 0),
    "a reserved card until the window opens": ("n1.0", 0, 600, 0),
    "a start at the last moment before it": ("n1.0", 500, 100, 500_000),
    "not into the window": ("n1.0", 501, 100, 900_000),
    "not for longer than that": ("n1.0", 0, 601, 900_000),
    "after the window": ("n1.0", 900, 9999, 900_000),
    "later than that": ("n1.0", 950, 9999, 950_000),
}


@pytest.mark.parametrize("row", ALLOWED.values(), ids=ALLOWED)
def test_from_when_on_work_may_stay_on_a_card(row: Row) -> None:
    card, at_s, stay_s, expected = row

    found = _kept().allowed_at(at_s * 1000, [(N1, AcceleratorId(card), 0)], stay_s)

    assert found == expected


def test_work_on_several_cards_waits_for_all_of_them() -> None:
    cards = [(N1, AcceleratorId("n1.3"), 0), (N1, AcceleratorId("n1.1"), 0)]

    assert _kept().allowed_at(FREE_NOW, cards, 601) == 900_000
    assert _kept().allowed_at(FREE_NOW, [], 601) == FREE_NOW


def test_reservations_are_looked_up_by_node() -> None:
    kept = _kept()

    assert kept.on_node(N1, COURSE) == COURSE
    assert kept.on_node(N2, COURSE) == frozenset()
    assert kept.on_node(N1, frozenset({ReservationId("talk")})) == frozenset()
    assert kept.keeps_any(COURSE, [(N2, 1), (N1, 1)])
    assert not kept.keeps_any(COURSE, [(N2, 1)])
    assert not kept.keeps_any(COURSE, [])


def test_what_is_kept_is_neither_free_now_nor_released_later() -> None:
    capacity = a_ledger(["n1: 4 cards, 8 cpu, 16 GiB"], ["a: 2 cards, 5 cpu, 6 GiB on n1"]).free[
        TRAINING
    ][N1]
    both = ((AcceleratorId("n1.0"), 0), (AcceleratorId("n1.3"), 0))
    releases = (
        Release(5000, both, 5000, 6144),
        Release(6000, both[1:], 1000, 1024),
        Release(7000, both[:1], 1000, 1024),
    )
    kept = _kept()

    left, later = kept.without(COURSE, capacity, releases)

    assert [card.view.id for card in left.whole_cards()] == ["n1.2", "n1.3"]
    assert later[0] == Release(5000, both[1:], 3000, 2048), "with its part of the node"
    assert later[1] is releases[1]
    assert later[2] == Release(7000, (), 0, 0), "never less than nothing"
    assert kept.without(COURSE, capacity, releases)[1] is later, "answers are remembered"
    assert kept.without(COURSE, capacity, releases[:1])[1] == later[:1], "of equal questions only"


def test_a_node_without_reserved_devices_stays_as_it_is() -> None:
    capacity = a_ledger(["n1: 1 cards", "n2: 4 cards"]).free[TRAINING][N2]

    assert _kept().without(COURSE, capacity, ()) == (capacity, ())


def test_a_pool_is_looked_at_anew_when_time_has_passed() -> None:
    cache, reserved = KeptDevicesCache(), ReservedCapacity(SITE)

    first = cache.find(reserved, TRAINING, Millis(0))

    assert cache.find(reserved, TRAINING, Millis(0)) is first
    later = cache.find(reserved, TRAINING, Millis(1))
    assert later is not first
    assert later is not None
    assert later.now == 1
    assert later.to_millis(FREE_NOW) == 1
    assert cache.find(reserved, SITE.pools[1].id, Millis(0)) is None


def test_what_may_start_at_once_starts_at_once_whatever_the_time_is() -> None:
    kept = KeptDevices(ReservedCapacity(SITE), TRAINING, Millis(5000))

    assert kept.allowed_at(FREE_NOW, [(N1, AcceleratorId("n1.3"), 0)], 9999) == FREE_NOW
    assert kept.allowed_at(FREE_NOW, [(N1, AcceleratorId("n1.0"), 0)], 100) == FREE_NOW
    assert kept.allowed_at(5000, [(N1, AcceleratorId("n1.0"), 0)], 100) == 5000
