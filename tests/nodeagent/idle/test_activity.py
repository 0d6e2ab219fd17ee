"""What counts as use: a long cell, a terminal, a computing card, a busy processor; nothing else."""

from dataclasses import replace

import pytest

from nodeagent.idle.activity import ActivitySample, JupyterActivity, evaluate_activity

QUIET = JupyterActivity(is_busy=False, kernels="k@1", terminals="t@1")
FIRST = ActivitySample(at=0, cpu_ms=0, jupyter=QUIET, gpu_pct=0)


def test_first_look_counts_as_use() -> None:
    known = evaluate_activity(None, FIRST)
    assert (known.used_at, known.source) == (0, "start")


@pytest.mark.parametrize(
    ("seen", "by"),
    [
        (replace(FIRST, jupyter=replace(QUIET, is_busy=True)), "kernel"),
        (replace(FIRST, jupyter=replace(QUIET, kernels="k@2")), "kernel"),
        (replace(FIRST, jupyter=replace(QUIET, terminals="t@2")), "terminal"),
        (replace(FIRST, gpu_pct=6), "cards"),
        (replace(FIRST, cpu_ms=1_100), "cpu"),
    ],
)
def test_each_sign_of_use_counts(seen: ActivitySample, by: str) -> None:
    known = evaluate_activity(evaluate_activity(None, FIRST), replace(seen, at=10_000))
    assert (known.used_at, known.source) == (10_000, by)


def test_open_page_that_asks_for_news_is_no_use() -> None:
    known = evaluate_activity(None, FIRST)
    for second in range(10, 100, 10):
        asked = ActivitySample(at=second * 1000, cpu_ms=second * 20, jupyter=QUIET, gpu_pct=None)
        known = evaluate_activity(known, asked)
    assert (known.used_at, known.source) == (0, "start")


def test_long_cell_is_use_to_its_end() -> None:
    known = evaluate_activity(None, FIRST)
    busy = replace(QUIET, is_busy=True)
    for hour in range(1, 12):
        known = evaluate_activity(known, ActivitySample(hour * 3_600_000, 0, busy, None))
    assert known.used_at == 11 * 3_600_000


def test_kernel_that_was_ended_is_no_use() -> None:
    known = evaluate_activity(
        evaluate_activity(None, FIRST),
        replace(FIRST, at=10_000, jupyter=replace(QUIET, kernels="")),
    )
    assert known.used_at == 0
