"""The rank of one member's work in a pool: one row for each rule of age, length and service."""

from dataclasses import replace

import pytest

from scheduler.core.model.entities import Millis
from scheduler.core.model.work_traits import WorkTraits
from scheduler.core.ordering.job_order import (
    attained_service,
    expected_gpu_ms,
    rank_running,
    rank_waiting,
    service_level,
)
from tests.scheduler.core.tables import a_running, a_waiting, rules

WAITING: dict[str, tuple[str, str, tuple[int, int]]] = {
    "by age nothing but the submission counts": ("", "4 cards, limit 9999, since 7", (0, 7)),
    "shorter work ranks as if it were submitted later by its length": (
        *("shortest first", "1 cards, limit 10, since 5"),
        (0, 5 + 10_000),
    ),
    "each card counts": ("shortest first", "4 cards, limit 10", (0, 4 * 10_000)),
    "each rank counts": ("shortest first", "2 cards, 3 ranks, limit 10", (0, 6 * 10_000)),
    "a slice counts as an eighth of a card": ("shortest first", "2 slices, limit 10", (0, 2500)),
    "work without cards counts as a thousandth of one": (
        *("shortest first", "4 cpu, limit 10"),
        (0, 10),
    ),
    "what is expected counts instead of the limit": (
        *("shortest first", "1 cards, limit 100, expected 10"),
        (0, 10_000),
    ),
    "no work takes longer than its limit": (
        *("shortest first", "1 cards, limit 10, expected 11"),
        (0, 10_000),
    ),
    "work that is expected to end at once keeps its age": (
        *("shortest first", "1 cards, limit 10, expected 0, since 3"),
        (0, 3),
    ),
    "stretch multiplies the length": (
        *("shortest first, stretch 3", "1 cards, limit 10"),
        (0, 30_000),
    ),
    "patience bounds the length": (
        *("shortest first, patience 5", "1 cards, limit 10, since 1"),
        (0, 5001),
    ),
    "patience bounds the stretched length": (
        *("shortest first, patience 20, stretch 3", "1 cards, limit 10"),
        (0, 20_000),
    ),
    "served least: nothing yet": ("least served first", "had 0 card-seconds, since 9", (0, 9)),
    "served least: below the first level": ("least served first", "had 59 card-seconds", (0, 0)),
    "served least: beyond the first level": ("least served first", "had 60 card-seconds", (1, 0)),
    "served least: inside a level by age": (
        *("least served first", "had 119 card-seconds, since 4"),
        (1, 4),
    ),
    "served least: the second level": ("least served first", "had 120 card-seconds", (2, 0)),
    "served least: its length does not matter": (
        *("least served first", "8 cards, limit 99999, had 240 card-seconds"),
        (3, 0),
    ),
}


@pytest.mark.parametrize("row", WAITING.values(), ids=WAITING)
def test_rank_of_waiting_work(row: tuple[str, str, tuple[int, int]]) -> None:
    policy, work, rank = row

    assert rank_waiting(a_waiting(work), rules(policy)) == rank


NOW = Millis(1_000_000)
RUNNING: dict[str, tuple[str, str, tuple[int, int]]] = {
    "by age nothing but the submission counts": ("", "1 cards on n1, ends in 20 s", (0, NOW)),
    "by length what is left counts": (
        *("shortest first", "1 cards on n1, began 500 s ago, ends in 20 s"),
        (0, NOW + 20_000),
    ),
    "the expected end goes before the limit": (
        *("shortest first", "1 cards on n1, ends in 20 s, expected in 5 s"),
        (0, NOW + 5000),
    ),
    "each card counts in what is left": (
        *("shortest first", "2 cards on n1, ends in 20 s"),
        (0, NOW + 40_000),
    ),
    "patience bounds what is left": (
        *("shortest first, patience 7", "2 cards on n1, ends in 20 s"),
        (0, NOW + 7000),
    ),
    "work without a known end ranks by age": (
        *("shortest first", "1 cards on n1"),
        (0, NOW),
    ),
    "served least: what it has had in this attempt": (
        *("least served first", "1 cards on n1, began 59 s ago"),
        (0, NOW),
    ),
    "served least: with this attempt beyond a level": (
        *("least served first", "1 cards on n1, began 60 s ago"),
        (1, NOW),
    ),
    "served least: earlier attempts count too": (
        *("least served first", "1 cards on n1, began 30 s ago, had 30 card-seconds"),
        (1, NOW),
    ),
    "served least: each card counts": (
        *("least served first", "4 cards on n1, began 30 s ago"),
        (2, NOW),
    ),
}


@pytest.mark.parametrize("row", RUNNING.values(), ids=RUNNING)
def test_rank_of_running_work(row: tuple[str, str, tuple[int, int]]) -> None:
    policy, work, rank = row

    assert rank_running(a_running(work), rules(policy), NOW) == rank


def test_overdue_work_has_nothing_left_and_does_not_rank_before_its_age() -> None:
    late = replace(a_running("1 cards on n1"), ends_at=Millis(NOW - 5000), expected_end=None)

    assert rank_running(late, rules("shortest first"), NOW) == (0, NOW)


def test_an_open_end_counts_as_the_patience_of_the_pool() -> None:
    open_end = WorkTraits(open_end=True)
    waiting = replace(a_waiting("1 cards, limit 10, since 5"), traits=open_end, time_limit_s=None)
    running = replace(a_running("1 cards on n1, ends in 20 s"), traits=open_end, ends_at=None)
    policy = rules("shortest first, patience 30")

    assert expected_gpu_ms(waiting) is None
    assert rank_waiting(waiting, policy) == (0, 5 + 30_000)
    assert rank_running(running, policy, NOW) == (0, NOW + 30_000)


def test_waiting_work_ranks_as_it_would_if_it_ran() -> None:
    waiting = a_waiting("2 cards, limit 20", now=1000)
    running = a_running("2 cards on n1, ends in 20 s")
    policy = rules("shortest first")

    assert rank_waiting(waiting, policy) == rank_running(running, policy, NOW)


ATTAINED: dict[str, tuple[str, int]] = {
    "nothing before it starts": ("4 cards on n1", 0),
    "earlier attempts before it starts": ("4 cards on n1, had 50 card-seconds", 50),
    "one card": ("1 cards on n1, began 7 s ago", 7),
    "two cards": ("2 cards on n1, began 7 s ago", 14),
    "with earlier attempts": ("2 cards on n1, began 7 s ago, had 50 card-seconds", 64),
}


@pytest.mark.parametrize("row", ATTAINED.values(), ids=ATTAINED)
def test_service_that_work_has_had(row: tuple[str, int]) -> None:
    words, gpu_s = row

    assert attained_service(a_running(words), NOW) == gpu_s


@pytest.mark.parametrize(
    ("gpu_s", "level"), [(0, 0), (59, 0), (60, 1), (119, 1), (120, 2), (239, 2), (240, 3), (480, 4)]
)
def test_levels_of_service_double(gpu_s: int, level: int) -> None:
    assert service_level(gpu_s) == level


def test_expected_time_is_of_all_cards_of_all_ranks() -> None:
    assert expected_gpu_ms(a_waiting("2 cards, 3 ranks, limit 10")) == 10 * 6 * 1000


def test_a_share_of_a_card_counts_in_part() -> None:
    waiting = a_waiting("limit 10")
    share = replace(waiting, request=replace(waiting.request, gpu_milli=300))

    assert expected_gpu_ms(share) == 10 * 300
