"""Scalars become metrics lines that the portal's reader takes, with names that a metric can have."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeagent.telemetry.event_records import Scalar
from nodeagent.telemetry.scalar_lines import metric_name, run_name, scalar_lines
from portal.training_metrics.metric_lines import PAIRS_MAX, read_lines
from wire.log_lines import METRIC_NAME

NAMES = st.text(max_size=200)


def a_scalar(tag: str, value: float = 0.5, step: int = 1, at_s: float = 1_700_000_000) -> Scalar:
    return Scalar(tag, step, at_s, value, is_single=True)


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("Loss/train", "Loss/train"),
        ("charts/episodic return", "charts/episodic_return"),
        ("0/loss", "_0/loss"),
        ("损失", "损失"),
        ("step", "_step"),
        ("a=1\n@metrics b", "a_1__metrics_b"),
        ("", "_"),
    ],
)
def test_a_tag_becomes_a_name(tag: str, name: str) -> None:
    assert metric_name(tag) == name


def test_a_long_tag_keeps_both_of_its_ends() -> None:
    name = metric_name("model/encoder/" + "layer/" * 20 + "grad_norm")
    assert name.startswith("model/encoder/")
    assert name.endswith("grad_norm")


@given(NAMES, NAMES)
def test_any_tag_has_a_name(tag: str, run: str) -> None:
    assert re.fullmatch(METRIC_NAME, metric_name(tag, run))


@pytest.mark.parametrize(
    ("folder", "first", "name"),
    [
        ("runs/a", "runs/a", ""),
        ("logs/validation", "logs/train", "validation"),
        ("runs/a/1700", "runs/a", "1700"),
        ("eval", "", "eval"),
        ("", "runs/a", ""),
    ],
)
def test_a_run_is_named_by_where_it_differs_from_the_first(
    folder: str, first: str, name: str
) -> None:
    assert run_name(folder, first) == name


def test_values_of_one_step_share_a_line() -> None:
    told = [a_scalar("loss", 0.5), a_scalar("acc", 0.25), a_scalar("loss", 0.125, step=2)]
    assert list(scalar_lines(told, "eval")) == [
        b"@metrics step=1 time=1700000000.000 eval/loss=0.5 eval/acc=0.25\n",
        b"@metrics step=2 time=1700000000.000 eval/loss=0.125\n",
    ]


def test_what_cannot_be_drawn_is_left_out() -> None:
    told = [a_scalar("a", step=-1), a_scalar("b", step=2**60), a_scalar("c", at_s=-5)]
    assert list(scalar_lines(told)) == [b"@metrics step=1 c=0.5\n"]


@given(
    st.lists(
        st.builds(
            Scalar,
            NAMES,
            st.integers(-5, 2**62),
            st.floats(),
            st.floats(),
            is_single=st.just(False),
        ),
        max_size=200,
    )
)
def test_every_line_is_understood_at_the_portal(told: list[Scalar]) -> None:
    read = read_lines(b"".join(scalar_lines(told)))
    assert read.malformed == 0
    drawn = [each for each in told if 0 <= each.step < 2**53]
    assert sum(len(line.values) for line in read.lines) == len(drawn)


def test_many_values_of_one_step_are_several_lines() -> None:
    told = [a_scalar(f"layer.{number}." + "x" * 50) for number in range(3 * PAIRS_MAX)]
    read = read_lines(b"".join(scalar_lines(told)))
    assert (read.malformed, sum(len(line.values) for line in read.lines)) == (0, 3 * PAIRS_MAX)
    assert all(one.step == other.step for one, other in pairwise(read.lines))
