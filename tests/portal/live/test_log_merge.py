"""Logs of several ranks as one, on real files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import pytest

from portal.live.log_formats import LinesFormat, RecordsFormat
from portal.live.log_merge import RANK_PIECE_MIN, LogRecord, MergedLog
from portal.live.log_tail import RankLog
from portal.workloads.logs.files import log_path
from portal.workloads.logs.marks import append_marks, marks_path
from wire.log_marks import LogMark

WORK = UUID(int=7)


@dataclass
class Logs:
    """The logs of two ranks."""

    folder: Path

    def write(self, rank: int, text: bytes, at_ms: int | None = None) -> None:
        path = log_path(self.folder, WORK, rank, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            offset = file.tell()
            file.write(text)
        if at_ms is not None:
            append_marks(marks_path(self.folder, WORK, rank, 1), [LogMark(offset, at_ms)])

    def merged(self, offsets: Sequence[int] = (0, 0)) -> MergedLog:
        ranks = [RankLog(self.folder, WORK, rank) for rank in range(len(offsets))]
        return MergedLog(ranks, 1, offsets)


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path)


def shown(records: Sequence[LogRecord]) -> list[tuple[int, int | None, bytes]]:
    return [(record.rank, record.at_ms, record.text) for record in records]


def test_lines_stand_in_the_order_of_their_times(logs: Logs) -> None:
    logs.write(0, b"a\n", 1_000)
    logs.write(0, b"c\n", 3_000)
    logs.write(1, b"b\nb again\n", 2_000)
    logs.write(1, b"d\n", 4_000)

    assert shown(logs.merged().read(is_over=True)) == [
        (0, 1_000, b"a\n"),
        (1, 2_000, b"b\nb again\n"),
        (0, 3_000, b"c\n"),
        (1, 4_000, b"d\n"),
    ]


def test_lines_of_one_rank_keep_their_order_where_a_clock_went_back(logs: Logs) -> None:
    logs.write(0, b"first\n", 5_000)
    logs.write(0, b"second\n", 1_000)
    logs.write(1, b"other\n", 2_000)

    found = shown(logs.merged().read(is_over=True))

    assert [text for _, _, text in found] == [b"other\n", b"first\n", b"second\n"]


def test_logs_without_times_are_whole_one_after_the_other(logs: Logs) -> None:
    logs.write(0, b"old\n" * 50_000)
    logs.write(1, b"older\n")
    merged, found = logs.merged(), list[LogRecord]()
    while records := merged.read(is_over=True):
        found += records

    assert b"".join(record.text for record in found if record.rank == 0) == b"old\n" * 50_000
    assert {record.at_ms for record in found} == {None}
    assert all(len(record.text) <= 2 * RANK_PIECE_MIN for record in found)


def test_lines_that_are_not_whole_wait_for_their_ends(logs: Logs) -> None:
    logs.write(0, b"whole\nhal", 1_000)
    merged = logs.merged()

    assert shown(merged.read(is_over=False)) == [(0, 1_000, b"whole\n")]
    assert not merged.read(is_over=False)
    logs.write(0, b"f\n")
    assert [record.text for record in merged.read(is_over=False)] == [b"half\n"]
    logs.write(0, b"end")
    assert [record.text for record in merged.read(is_over=True)] == [b"end"]


def test_a_line_without_end_comes_in_parts_and_is_never_held_whole(logs: Logs) -> None:
    logs.write(0, "损".encode() * 100_000, 1_000)
    merged, found = logs.merged(), list[LogRecord]()
    while records := merged.read(is_over=False):
        found += records

    assert all(len(record.text) <= 2 * RANK_PIECE_MIN for record in found)
    assert all(set(record.text.decode()) == {"损"} for record in found)
    assert 300_000 - found[-1].end < 2 * RANK_PIECE_MIN


def test_one_rank_shows_a_line_that_is_being_written_but_no_half_character(logs: Logs) -> None:
    logs.write(0, b"10%\r" + "损".encode()[:2], 1_000)

    assert shown(logs.merged([0]).read(is_over=False)) == [(0, 1_000, b"10%\r")]


def test_reading_from_the_end_begins_with_a_line_and_knows_its_time(logs: Logs) -> None:
    logs.write(0, b"one\n", 1_000)
    logs.write(0, b"two\nthree\n", 2_000)

    (record,) = logs.merged([-8]).read(is_over=True)

    assert (record.offset, record.end, record.at_ms, record.text) == (8, 14, 2_000, b"three\n")


def test_text_has_times_and_ranks_before_each_line_only_if_asked_for() -> None:
    records = [
        LogRecord(1, 0, 1_767_323_045_678, 0, b"a\nb\n"),
        LogRecord(1, 1, None, 0, b"open"),
        LogRecord(1, 1, None, 4, b" still"),
        LogRecord(1, 0, 1_767_323_045_999, 4, b"c\n"),
    ]

    both = LinesFormat(has_times=True, has_ranks=True)
    ranks = LinesFormat(has_times=False, has_ranks=True)

    assert b"".join(both.write(record) for record in records).decode() == (
        "2026-01-02T03:04:05.678Z [0] a\n"
        "2026-01-02T03:04:05.678Z [0] b\n"
        "- [1] open still\n"
        "2026-01-02T03:04:05.999Z [0] c\n"
    )
    assert ranks.write(records[0]) == b"[0] a\n[0] b\n"


def test_a_record_is_one_line_of_json() -> None:
    line = RecordsFormat().write(LogRecord(1, 3, None, 2, "损\n".encode() + b"\xff"))

    assert line.decode() == (
        '{"epoch":1,"rank":3,"at":null,"offset":2,"end":7,"text":"损\\n\N{REPLACEMENT CHARACTER}"}\n'
    )
