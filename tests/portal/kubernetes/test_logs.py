"""Logs that can only be asked for by time: every line once, in the order in which it was written."""

from hypothesis import given
from hypothesis import strategies as st

from portal.kubernetes.logs import LogCursor, TakenLog, take_new
from wire.log_marks import LogMark

DAY = "2026-11-30"
FIRST = f"{DAY}T04:00:00.5Z one\n"
SECOND = f"{DAY}T04:00:00.25Z two\n"
THIRD = f"{DAY}T04:00:09.123456789Z three\n"


def take(text: str, cursor: LogCursor | None = None, *, is_cut: bool = False) -> TakenLog:
    return take_new(text.encode(), cursor or LogCursor(), is_cut=is_cut)


def answer(lines: list[tuple[int, str]], since: str) -> bytes:
    """Return what the kubelet gives of a log of lines with seconds, from a time on."""
    stamped = (
        f"{DAY}T04:{second // 60:02d}:{second % 60:02d}.{number % 1000:03d}Z {text}\n"
        for number, (second, text) in enumerate(lines)
    )
    return "".join(line for line in stamped if line >= since.rstrip("Z")).encode()


def test_times_are_marks_and_no_text() -> None:
    part = take(FIRST + THIRD)
    assert part.data == b"one\nthree\n"
    at = 1_796_011_200_000
    assert part.marks == (LogMark(0, at + 500), LogMark(4, at + 9_123))


def test_what_was_taken_is_not_taken_again() -> None:
    part = take(FIRST + SECOND)
    assert part.cursor == LogCursor(8, f"{DAY}T03:59:58Z", 2, f"{DAY}T04:00:00.500000000")
    again = take(FIRST + SECOND, part.cursor)
    assert (again.data, again.cursor) == (b"", part.cursor)
    assert take(FIRST + SECOND + THIRD, part.cursor).data == b"three\n"


def test_a_line_that_comes_late_is_not_lost() -> None:
    part = take(FIRST)
    assert take(FIRST + SECOND, part.cursor).data == b"two\n"


def test_after_a_rotation_new_lines_are_not_taken_for_old_ones() -> None:
    part = take(FIRST + SECOND)
    assert take(THIRD, part.cursor).data == b"three\n"


def test_half_a_line_waits_for_its_rest() -> None:
    part = take(FIRST + THIRD[:-3], is_cut=True)
    assert part.data == b"one\n"
    assert take(FIRST + THIRD, part.cursor).data == b"three\n"


def test_the_last_line_may_have_no_end() -> None:
    assert take(FIRST + THIRD.rstrip("\n")).data == b"one\nthree"


def test_times_of_other_zones_are_the_same_times() -> None:
    part = take(f"{DAY}T12:00:00.5+08:00 one\n")
    assert part.cursor == take(FIRST).cursor


@given(
    st.lists(st.tuples(st.integers(0, 4), st.text("ab \n", max_size=3)), max_size=12),
    st.lists(st.integers(0, 12), max_size=4),
)
def test_every_line_is_taken_once(steps: list[tuple[int, str]], looks: list[int]) -> None:
    second, lines = 0, []
    for step, text in steps:
        second += step
        lines.append((second, text.replace("\n", "")))
    cursor, taken = LogCursor(), b""
    for there in [*sorted(looks), len(lines)]:
        part = take_new(answer(lines[:there], cursor.since), cursor, is_cut=False)
        taken, cursor = taken + part.data, part.cursor
    assert taken.decode() == "".join(f"{text}\n" for _, text in lines)
    assert cursor.offset == len(taken)
