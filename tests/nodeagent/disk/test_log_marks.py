from pathlib import Path

from nodeagent.disk.log_marks import MarkWriter, read_marks, read_seen
from wire.log_lines import LOG_BEGINNING
from wire.log_marks import LogMark, is_due


class Log:
    """A log with its marks, written to as a runtime does."""

    def __init__(self, folder: Path) -> None:
        self.path, self.marks = folder / "log", folder / "marks"
        self.path.touch()
        self.writer = MarkWriter(self.marks, self.path, LOG_BEGINNING)

    def write(self, text: bytes, at_ms: int | None) -> None:
        with self.path.open("ab") as file:
            file.write(text)
        self.writer.feed(text, at_ms)

    def read(self, begin: int = 0, end: int = 2**40) -> list[LogMark]:
        return read_marks(self.marks, begin, end)


def test_marks_stand_where_lines_begin(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.write(b"one\ntw", 1_000)
    log.write(b"o\nthree\n", 2_000)
    log.write(b"four", 3_000)
    log.write(b", still four", 4_000)

    assert log.read() == [(0, 1_000), (8, 2_000), (14, 3_000)]
    assert log.read(1, 14) == [(8, 2_000)]


def test_lines_of_one_millisecond_and_of_unknown_time_get_no_mark(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.write(b"a\n", 1_000)
    log.write(b"b\n", 1_000)
    log.write(b"c\n", None)
    log.write(b"d\n", 900)

    assert log.read() == [(0, 1_000), (6, 900)]


def test_an_agent_that_starts_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.write(b"one\ntw", 1_000)
    with log.marks.open("ab") as file:
        file.write(b"half")
    log.writer = MarkWriter(log.marks, log.path, LOG_BEGINNING)
    log.write(b"o\nthree\n", 2_000)

    assert log.read() == [(0, 1_000), (8, 2_000)]


def test_a_log_that_grew_by_itself_is_marked_at_its_first_new_line(tmp_path: Path) -> None:
    log = Log(tmp_path)
    with log.path.open("ab") as file:
        file.write(b"x" * 100_000)
        file.flush()
        log.writer.feed_grown(1_000)
        file.write(b"x\nnew\nnewer\n")
        file.flush()
        log.writer.feed_grown(2_000)
    log.writer.feed_grown(3_000)

    assert log.read() == [(0, 1_000), (100_002, 2_000)]


def test_it_is_written_how_far_the_marks_of_a_log_go(tmp_path: Path) -> None:
    log = Log(tmp_path)
    assert read_seen(log.path) is None
    log.writer.feed_grown(1_000)
    assert read_seen(log.path) == 0
    log.path.write_bytes(b"one\n")
    log.writer.feed_grown(2_000)
    assert read_seen(log.path) == 4


def test_marks_thin_out_so_that_years_of_lines_stay_small() -> None:
    """A line each second for two years."""
    last, count = None, 0
    for at_ms in range(0, 2 * 366 * 86_400_000, 1_000_000):
        if is_due(last, at_ms, count):
            last, count = LogMark(at_ms, at_ms), count + 1
    assert count < 64_000
    assert is_due(LogMark(0, 0), 1, 0)
    assert not is_due(LogMark(0, 0), 1_023, 10 << 15)
    assert is_due(LogMark(0, 0), 1_024, 10 << 15)
