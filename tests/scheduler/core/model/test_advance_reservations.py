"""The windows of an advance reservation: which is open or next, and until when."""

import pytest

from scheduler.core.model.entities import Millis
from tests.scheduler.core.tables import a_snapshot

Row = tuple[int, tuple[int, int] | None, bool, int]
"""The second asked about; the window in seconds, whether it is open, when it ends."""

TABLE: dict[str, Row] = {
    "before the first": (0, (600, 900), False, 900),
    "just before the first": (599, (600, 900), False, 900),
    "at its start": (600, (600, 900), True, 900),
    "inside it": (899, (600, 900), True, 900),
    "at its end the next one counts": (900, (4200, 4500), False, 4500),
    "inside the second": (4300, (4200, 4500), True, 4500),
    "at the end of the last": (4500, None, False, 4500),
    "later": (9999, None, False, 9999),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_window_of_a_reservation(row: Row) -> None:
    at_s, window, is_open, ends_s = row
    at = Millis(at_s * 1000)
    (course,) = a_snapshot(
        nodes=["n1: 2 cards"],
        reservations=["course: 1 cards on n1, for lab, from 600 to 900, again after 3600"],
    ).reservations
    found = course.next_window(at)

    assert (found and (found.start // 1000, found.end // 1000)) == window
    assert course.is_open(at) is is_open
    assert course.ends_at(at) == ends_s * 1000
