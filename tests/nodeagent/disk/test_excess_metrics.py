"""Metrics lines that come after a full log are kept, each once."""

from pathlib import Path

import pytest

from nodeagent.disk.excess_metrics import ExcessMetrics
from wire.log_lines import METRICS_LINE_MAX

LIMIT = 10_000
HEAD = b"@metrics a=0\n" + b"x" * (LIMIT - 23) + b"\n"
TAIL = b"y@metrics a=1\nwords\r 40%|==@metrics a=2\r" + b"z" * 9000 + b"@metrics a=3\n"
KEPT = b"@metrics a=1\n@metrics a=2\r@metrics a=3\n"


def feed(excess: ExcessMetrics, log: bytes, piece_bytes: int) -> None:
    for offset in range(0, len(log), piece_bytes):
        excess.feed(offset, log[offset : offset + piece_bytes])


@pytest.mark.parametrize("piece_bytes", [1, 7, 100, 4096, 10**6])
def test_lines_that_end_beyond_the_log_are_kept(tmp_path: Path, piece_bytes: int) -> None:
    path = tmp_path / "metrics"

    feed(ExcessMetrics(path, LIMIT), HEAD + TAIL, piece_bytes)

    assert path.read_bytes() == KEPT


def test_the_same_output_after_a_restart_is_kept_once(tmp_path: Path) -> None:
    path, log = tmp_path / "metrics", HEAD + TAIL
    feed(ExcessMetrics(path, LIMIT), log, 1000)

    feed(ExcessMetrics(path, LIMIT), log + b"@metrics a=4\n", 700)

    assert path.read_bytes() == KEPT + b"@metrics a=4\n"


def test_a_log_within_its_limit_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "metrics"

    feed(ExcessMetrics(path, LIMIT), HEAD[:5000], 100)

    assert not path.exists()


def test_a_line_without_an_end_takes_no_memory(tmp_path: Path) -> None:
    excess = ExcessMetrics(tmp_path / "metrics", 10)
    feed(excess, b"@metrics " + b"1" * (10 * METRICS_LINE_MAX), 1000)

    excess.feed(11 * METRICS_LINE_MAX, b"\n@metrics a=1\n")

    assert (tmp_path / "metrics").read_bytes() == b"@metrics a=1\n"
