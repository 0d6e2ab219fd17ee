"""When work leaves before an edge, and what still starts before it: one row for each rule."""

import pytest

from scheduler.core.capacity.notice import (
    fits_in_window,
    is_notice_due,
    leaving_s,
    left_alone_s,
    stay_s,
)
from scheduler.core.model.advance_reservations import ReservedWindow
from scheduler.core.model.entities import Millis
from tests.scheduler.core.tables import a_waiting, rules

POLICY = rules("protects 600, grace 60")
"""Notice is given 90 seconds before an edge: the grace, and half a minute to be sure."""


@pytest.mark.parametrize(
    ("now_ms", "expected"), [(0, False), (909_999, False), (910_000, True), (2_000_000, True)]
)
def test_notice_is_given_so_early_that_devices_are_free_at_the_edge(
    now_ms: int, expected: bool
) -> None:
    assert leaving_s(POLICY) == 90
    assert is_notice_due(Millis(1_000_000), POLICY, Millis(now_ms)) is expected


STAYS: dict[str, tuple[str, int, int]] = {
    "work that may be evicted, for its protection": ("preemptible, limit 3600", 600, 690),
    "as long as its limit if that is shorter": ("preemptible, limit 100", 100, 190),
    "other work to its limit, with a margin": ("limit 3600", 600, 3720),
    "other short work too": ("limit 100", 100, 220),
    "an environment as other work": ("environment, preemptible, limit 3600", 600, 3720),
}


@pytest.mark.parametrize("row", STAYS.values(), ids=STAYS)
def test_how_long_a_start_is_left_alone_and_needs_its_devices(row: tuple[str, int, int]) -> None:
    words, alone, stays = row

    assert left_alone_s(a_waiting(words), POLICY) == alone
    assert stay_s(a_waiting(words), POLICY) == stays


Window = tuple[str, int, tuple[int, int], bool]
"""Work; its start in milliseconds; the window in seconds; whether it may start."""

WINDOWS: dict[str, Window] = {
    "evictable work that has its protection until its notice": (
        *("preemptible, limit 3600", 0, (0, 690)),
        True,
    ),
    "not a moment later": ("preemptible, limit 3600", 1, (0, 690), False),
    "short evictable work, that ends before its notice": (
        *("preemptible, limit 100", 0, (0, 190)),
        True,
    ),
    "short evictable work a moment too late": ("preemptible, limit 100", 1, (0, 190), False),
    "evictable work that is longer than the window": (
        *("preemptible, limit 99999", 0, (0, 690)),
        True,
    ),
    "a job that ends soon enough after the window": ("limit 3600", 0, (0, 3300), True),
    "a job that would run on for too long": ("limit 3600", 1, (0, 3300), False),
    "an environment may be cut off by the end": (
        *("environment, limit 99999", 0, (0, 3300)),
        True,
    ),
    "an environment that has its protection left": (
        *("environment, limit 3600", 4_400_000, (0, 5000)),
        True,
    ),
    "an environment a moment too late": ("environment, limit 3600", 4_400_001, (0, 5000), False),
    "a short environment until nearly the end": (
        *("environment, limit 100", 4_900_000, (0, 5000)),
        True,
    ),
    "in a short window half of it is enough": (
        *("environment, limit 3600", 300_000, (0, 600)),
        True,
    ),
    "less than half of a short window is not": (
        *("environment, limit 3600", 300_001, (0, 600)),
        False,
    ),
    "a job has to stay for half of a short window too": (
        *("limit 3600", 300_001, (0, 600)),
        False,
    ),
    "half of the window counts from its start": (
        *("environment, limit 3600", 1_300_000, (1000, 1600)),
        True,
    ),
}


@pytest.mark.parametrize("row", WINDOWS.values(), ids=WINDOWS)
def test_what_may_start_inside_a_window(row: Window) -> None:
    words, starts, (start_s, end_s), expected = row
    window = ReservedWindow(Millis(start_s * 1000), Millis(end_s * 1000))

    assert fits_in_window(a_waiting(words), POLICY, Millis(starts), window) is expected
