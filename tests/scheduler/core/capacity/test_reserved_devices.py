"""What advance reservations keep, from whom and when: one row for each rule."""

import pytest

from scheduler.core.capacity.reserved_devices import BlockedPhase, NodePart, ReservedCapacity
from scheduler.core.model.advance_reservations import ReservationId
from scheduler.core.model.entities import AcceleratorId, Millis, NodeId
from tests.scheduler.core.tables import N1, N2, TRAINING, a_ledger, a_snapshot, a_waiting

COURSE, TALK = ReservationId("course"), ReservationId("talk")


def _reserved(*reservations: str, nodes: tuple[str, ...] = ("n1: 4 cards",)) -> ReservedCapacity:
    return ReservedCapacity(
        a_snapshot(
            pools=["training: protects 600, grace 60", "other"],
            nodes=nodes,
            groups=["lab", "vision", "speech: in vision"],
            reservations=reservations,
        )
    )


LEVELS: dict[str, tuple[str, int]] = {
    "work that is over before any window": ("limit 100", 0),
    "with its margin just until the first": ("limit 480", 0),
    "a second longer": ("limit 481", 1),
    "just until the second": ("limit 880", 1),
    "into both": ("limit 881", 2),
    "evictable work leaves in time": ("preemptible, limit 9999", 1),
    "short evictable work is over": ("preemptible, limit 500", 0),
    "an environment stays": ("environment, preemptible, limit 9999", 2),
}


@pytest.mark.parametrize("row", LEVELS.values(), ids=LEVELS)
def test_of_how_many_reservations_work_is_kept_from_the_devices(row: tuple[str, int]) -> None:
    words, expected = row
    reserved = _reserved(
        "talk: 1 cards on n1 card 1, for vision, from 1000 to 2000",
        "course: 1 cards on n1 card 0, for vision, from 600 to 900",
    )

    level = reserved.level(a_waiting(words), TRAINING, Millis(0))

    assert level == expected
    assert [each.id for each in reserved.kept_at(TRAINING, level)] == ["course", "talk"][:expected]


FOR: dict[str, tuple[str, str, bool]] = {
    "its group": ("for vision", "of vision", True),
    "a group below": ("for vision", "of speech", True),
    "a group above": ("for speech", "of vision", False),
    "another group": ("for vision", "of lab", False),
    "another pool": ("for vision", "of vision in other", False),
    "a member that it names": ("for vision, by li+wu", "of vision by wu", True),
    "a member that it does not name": ("for vision, by li", "of vision by wu", False),
    "a named member's work in another group": ("for vision, by li", "of lab by li", False),
}


@pytest.mark.parametrize("row", FOR.values(), ids=FOR)
def test_whom_a_reservation_is_for(row: tuple[str, str, bool]) -> None:
    words, work, expected = row
    site = a_snapshot(
        pools=["training", "other"],
        nodes=["n1: 4 cards"],
        groups=["lab", "vision", "speech: in vision"],
        reservations=[f"course: 1 cards on n1, {words}, from 600 to 900"],
        waiting=[f"a: 1 cards {work}"],
    )

    reserved = ReservedCapacity(site)

    assert reserved.is_for(site.reservations[0], site.pending[0]) is expected


Phases = tuple[tuple[str, ...], int, list[tuple[int, int | None, str]]]
"""Windows, the stay in seconds; phases in seconds with the reservations that keep devices."""

PHASES: dict[str, Phases] = {
    "kept from the start on that would reach into the window": (
        ("course: 1 cards on n1, from 600 to 900",),
        100,
        [(0, 500, ""), (500, 900, "course"), (900, None, "")],
    ),
    "kept at once from a long stay": (
        ("course: 1 cards on n1, from 600 to 900",),
        700,
        [(0, 900, "course"), (900, None, "")],
    ),
    "two windows of one": (
        ("course: 1 cards on n1, from 600 to 900, again after 1000",),
        100,
        [
            *((0, 500, ""), (500, 900, "course"), (900, 1500, "")),
            *((1500, 1900, "course"), (1900, None, "")),
        ],
    ),
    "no gap that is too short for the stay": (
        ("course: 1 cards on n1, from 600 to 900, again after 1000",),
        700,
        [(0, 900, "course"), (900, 1900, "course"), (1900, None, "")],
    ),
    "two reservations": (
        (
            "course: 1 cards on n1, from 600 to 900",
            "talk: 1 cards on n1 card 1, from 800 to 1000",
        ),
        100,
        [
            *((0, 500, ""), (500, 700, "course"), (700, 900, "course talk")),
            *((900, 1000, "talk"), (1000, None, "")),
        ],
    ),
    "what is over does not count": (("course: 1 cards on n1, from -600 to 0",), 100, []),
    "an open window keeps its devices from now on": (
        ("course: 1 cards on n1, from -600 to 300",),
        100,
        [(0, 300, "course"), (300, None, "")],
    ),
}


@pytest.mark.parametrize("row", PHASES.values(), ids=PHASES)
def test_when_a_start_is_kept_from_devices(row: Phases) -> None:
    reservations, stay_s, expected = row

    phases = _reserved(*reservations).phases(TRAINING, stay_s, Millis(0))

    assert [_in_seconds(phase) for phase in _without_empty(phases)] == expected


def _without_empty(phases: object) -> list[BlockedPhase]:
    """Leave out stretches of less than a second, which only the last moment before an edge makes."""
    assert isinstance(phases, tuple)
    return [each for each in phases if each.end is None or each.end - each.start > 1]


def _in_seconds(phase: BlockedPhase) -> tuple[int, int | None, str]:
    end = None if phase.end is None else phase.end // 1000
    return phase.start // 1000, end, " ".join(sorted(phase.reservations))


def test_a_start_that_ends_with_the_opening_of_a_window_is_not_kept_from_it() -> None:
    free, kept, _ = _reserved("course: 1 cards on n1, from 600 to 900").phases(
        TRAINING, 100, Millis(0)
    )

    assert (free.start, free.end, kept.start) == (0, 500_001, 500_001)


def test_devices_and_their_part_of_the_node_are_taken_out() -> None:
    ledger = a_ledger(
        ["n1: 4 cards, 8 cpu, 16 GiB", "n2: 4 cards"],
        ["a: 1 cards, 1 cpu on n1"],
        reservations=["course: 2 cards on n1, from 600 to 900"],
    )
    free, reserved = ledger.free[TRAINING], ledger.reserved

    left = reserved.without(frozenset({COURSE}), free[N1])

    assert reserved.part_of(N1) == NodePart(2000, 4096)
    assert [card.view.id for card in left.whole_cards()] == ["n1.2", "n1.3"]
    assert (left.cpu_milli, left.memory_mib) == (7000 - 2000, (16 - 4) * 1024)
    assert reserved.without(frozenset({TALK}), free[N1]) is free[N1]
    assert reserved.without(frozenset({COURSE}), free[N2]) is free[N2]
    assert reserved.without_level(TRAINING, 0, free[N1]) is free[N1]
    assert reserved.without_level(TRAINING, 1, free[N1]) == left


def test_no_more_cpu_is_taken_out_than_there_is() -> None:
    ledger = a_ledger(
        ["n1: 4 cards, 8 cpu, 16 GiB"],
        ["a: 1 cards, 7 cpu, 15 GiB on n1 card 3"],
        reservations=["course: 2 cards on n1, from 600 to 900"],
    )

    left = ledger.reserved.without(frozenset({COURSE}), ledger.free[TRAINING][N1])

    assert (left.cpu_milli, left.memory_mib) == (0, 0)


def test_inside_there_are_the_reserved_devices_with_their_part_of_the_node() -> None:
    ledger = a_ledger(
        ["n1: 4 cards, 8 cpu, 16 GiB"],
        reservations=["course: 2 cards on n1, from -600 to 900"],
    )
    free = ledger.free[TRAINING][N1]
    (course,) = ledger.reserved.upcoming_in(TRAINING)
    nothing = free._replace(cpu_milli=0, memory_mib=0)

    alone = ledger.reserved.inside(course, free, nothing)
    beside = ledger.reserved.inside(course, free, free)

    assert [card.view.id for card in alone.whole_cards()] == ["n1.0", "n1.1"]
    assert (alone.cpu_milli, alone.memory_mib) == (4000, 8192)
    assert (beside.cpu_milli, beside.memory_mib) == (8000, 16384)


def test_devices_by_node_and_by_reservation() -> None:
    reserved = _reserved(
        "course: 2 cards on n1, from 600 to 900",
        "talk: 1 cards on n1 card 3, from 600 to 900",
        nodes=("n1: 4 cards", "n2: 4 cards"),
    )

    assert reserved.on_node(N1) == {COURSE, TALK}
    assert reserved.on_node(N2) == reserved.on_node(NodeId("gone")) == frozenset()
    assert reserved.devices_on(N1, {TALK}) == {(AcceleratorId("n1.3"), 0)}
    assert reserved.devices_on(N1, {COURSE, TALK}) == {
        (AcceleratorId(f"n1.{card}"), 0) for card in (0, 1, 3)
    }
    assert reserved.part_of(NodeId("gone")) == NodePart()
    assert reserved.get(TALK).name == "talk"


def test_what_is_over_is_forgotten_and_that_changes_what_is_kept() -> None:
    reserved = _reserved(
        "course: 1 cards on n1, from 100 to 200",
        "talk: 1 cards on n1 card 1, from 300 to 400, again after 1000",
    )

    assert [each.id for each in reserved.open_in(TRAINING, Millis(100_000))] == ["course"]
    assert not reserved.set_now(Millis(199_999))
    assert reserved.set_now(Millis(200_000))
    assert [each.id for each in reserved.upcoming_in(TRAINING)] == ["talk"]
    assert not reserved.set_now(Millis(400_000))
    assert reserved.set_now(Millis(1_400_000))
    assert not reserved
    assert reserved.upcoming_in(TRAINING) == ()
    assert reserved.phases(TRAINING, 100, Millis(1_400_000)) == ()
    assert reserved.level(a_waiting("1 cards"), TRAINING, Millis(1_400_000)) == 0
