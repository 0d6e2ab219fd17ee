"""Which lines are metrics lines, whatever surrounds them and wherever a log is cut."""

import math
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from portal.training_metrics.metric_lines import (
    MARKER,
    PAIRS_MAX,
    MetricLine,
    read_lines,
)
from wire.log_lines import METRIC_NAME_MAX, METRICS_LINE_MAX

NOISE: Final = b" 45%|\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8f  | 45/100 [00:01<00:01, 38.5it/s]"


def values_of(text: bytes) -> list[dict[str, float]]:
    return [line.values for line in read_lines(text).lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"@metrics loss=0.5\n", {"loss": 0.5}),
        (b"@metrics\tloss=1e-3, acc=.5 n=-3\n", {"loss": 0.001, "acc": 0.5, "n": -3}),
        (b"[default0]:@metrics loss=0.5\r\n", {"loss": 0.5}),
        (b"2026-01-01 INFO root: @metrics val/top-1%=91.\n", {"val/top-1%": 91}),
        (b"\r" + NOISE + b"@metrics loss=2\n\r" + NOISE, {"loss": 2}),
        (b"\x1b[32m@metrics loss=2\x1b[0m\x1b[K\n", {"loss": 2}),
        ("@metrics 损失=0.25 größe=1\n".encode(), {"损失": 0.25, "größe": 1}),
        (b"@metrics loss=1e999\n", {"loss": math.inf}),
        (b"@metrics loss=-Infinity a=+inf\n", {"loss": -math.inf, "a": math.inf}),
        (b"@metrics loss=1 loss=2\n", {"loss": 2}),
    ],
)
def test_a_metrics_line_stands_anywhere_in_a_line(text: bytes, expected: dict[str, float]) -> None:
    assert values_of(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        b"loss=0.5 step=3\n",
        b"mail to ops@metrics.example.com a=1\n",
        b"ask @metrics about it\n",
        b"@metricsloss=0.5\n",
        b"@Metrics loss=0.5\n",
        b'{"loss": 0.5}\n',
    ],
)
def test_ordinary_lines_are_none(text: bytes) -> None:
    found = read_lines(text)

    assert (found.lines, found.malformed) == ((), 0)


@pytest.mark.parametrize(
    "rest",
    [
        b'step={step} loss={loss:.4f}")',
        b"step=3",
        b"loss=tensor(0.5)",
        b"loss=0.5 and more",
        b"loss=0x10",
        b"loss=1_000",
        b"loss = 0.5",
        b"1loss=0.5",
        b"lo\x00ss=0.5",
        b"lo\xffss=0.5",
        b"step=-1 loss=1",
        b"step=1.5 loss=1",
        b"step=99999999999999999 loss=1",
        b"time=nan loss=1",
        b"time=1e300 loss=1",
        b"a" * (METRIC_NAME_MAX + 1) + b"=1",
        b"loss=" + b"1" * METRICS_LINE_MAX,
        b" ".join(b"m%d=1" % number for number in range(PAIRS_MAX + 1)),
    ],
)
def test_what_is_no_list_of_pairs_is_counted_and_shown(rest: bytes) -> None:
    found = read_lines(b"@metrics a=1\n@metrics " + rest + b"\n@metrics b=2\n")

    assert [line.values for line in found.lines] == [{"a": 1}, {"b": 2}]
    assert found.malformed == 1
    assert found.example.startswith("@metrics ")
    assert found.example.isprintable()


def test_step_and_time_are_no_metrics() -> None:
    [line] = read_lines(b"@metrics step=7 time=1700000000.25 loss=1\n").lines

    assert line == MetricLine({"loss": 1}, step=7, at_ms=1_700_000_000_250)


def test_nan_is_a_value() -> None:
    [values] = values_of(b"@metrics loss=NaN\n")

    assert math.isnan(values["loss"])


def test_two_programs_that_write_into_one_line_are_both_read() -> None:
    assert values_of(b"@metrics a=1@metrics b=2\n") == [{"a": 1}, {"b": 2}]


def test_an_unfinished_line_is_left_for_the_next_part() -> None:
    text = b"words\n@metrics loss=0.1"

    found = read_lines(text)

    assert (found.lines, text[found.end :]) == ((), b"@metrics loss=0.1")


def test_a_line_of_a_megabyte_without_an_end_is_passed_over() -> None:
    text = b"x" * 500_000 + b"@metrics a=" + b"1" * 500_000

    found = read_lines(text)

    assert (found.end, found.malformed) == (len(text), 1)
    assert values_of(b"1" * 1_000_000 + b"\r" + NOISE + b"@metrics loss=3\n") == [{"loss": 3}]


def test_a_megabyte_of_markers_is_read_at_once() -> None:
    found = read_lines(b"@metrics =" * 100_000 + b"\n")

    assert (found.lines, found.malformed) == ((), 100_000)


PIECES: Final = some.sampled_from(
    [
        b"@metrics step=1 loss=0.5\n",
        b"@metrics loss=nan\r",
        NOISE,
        b"\r",
        b"\n",
        b"@met",
        b"rics a=1\n",
        b"\x1b[0m",
        b"@metrics broken=\n",
        b"@metrics " + b"y" * 5000,
        b"z" * 5000,
    ]
)
LOGS: Final = some.lists(PIECES | some.binary(max_size=20), max_size=20).map(b"".join)


@settings(max_examples=200, deadline=None)
@given(log=LOGS, cuts=some.lists(some.integers(1, 6000), max_size=12))
def test_a_log_holds_the_same_wherever_it_is_cut(log: bytes, cuts: list[int]) -> None:
    log += b"\n"
    whole = read_lines(log)
    found: list[MetricLine] = []
    position = size = malformed = 0
    for more in (*cuts, len(log)):
        size = min(len(log), size + more)
        part = read_lines(log[position:size])
        position += part.end
        malformed += part.malformed
        found += part.lines

    assert position == len(log)
    assert repr(found) == repr(list(whole.lines))
    assert malformed == whole.malformed


@settings(max_examples=200, deadline=None)
@given(log=some.binary(max_size=300), before=some.booleans())
def test_any_bytes_are_read(log: bytes, before: bool) -> None:
    text = log + MARKER + b" a=1\n" if before else MARKER + b" " + log + b"\n"

    found = read_lines(text)

    assert found.end == len(text)
