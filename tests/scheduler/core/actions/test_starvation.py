"""The first in line starts in the end, however much smaller work keeps arriving behind it."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count, cycle, islice
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import Millis, WorkloadId
from tests.scheduler.counting import after, without
from tests.scheduler.scenario import snapshot_of

QUEUE_LENGTH = 6
BIG_ARRIVES = 10
CYCLES_MAX = 100
NODES = {
    "training": [f"n{number}: 4 cards, 24 cpu in training" for number in range(3)],
    "development": [f"d{number}: 2 cards, 24 cpu in development" for number in range(2)],
}
POOLS = ["training", "development: 4 slices of 8192 MiB"]


class Small(NamedTuple):
    """A small workload: how many devices, how much CPU, how many cycles it runs."""

    devices: int
    cpu: int
    lifetime: int


smalls = st.lists(
    st.builds(Small, st.integers(0, 3), st.integers(1, 8), st.integers(1, 9)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30)
@pytest.mark.parametrize(
    "big", ["4 cards", "4 cards, 2 ranks", "2 cards, 4 ranks", "1 cards, 20 cpu", "24 cpu"]
)
@given(sizes=smalls)
def test_big_job_starts_though_small_ones_keep_coming(big: str, sizes: list[Small]) -> None:
    assert _starts(f"big: {big}", "training", lambda size: f"{size.devices} cards", sizes)


@settings(max_examples=30)
@pytest.mark.parametrize("big", ["4 slices", "4 slices, 3 ranks", "1 slices, 20 cpu"])
@given(sizes=smalls)
def test_big_notebook_starts_though_small_ones_keep_coming(big: str, sizes: list[Small]) -> None:
    assert _starts(f"big: {big}", "development", lambda size: f"{size.devices} slices", sizes)


def _starts(big: str, pool: str, devices: Callable[[Small], str], sizes: list[Small]) -> bool:
    """Fill the pool, let the big one queue, and keep the queue behind it full of small work."""
    site: dict[str, list[str]] = {"pools": POOLS, "nodes": NODES[pool]}
    arriving = zip(count(), cycle(sizes), strict=False)
    cluster = snapshot_of(site)
    ends: dict[WorkloadId, int] = {}
    for turn in range(CYCLES_MAX):
        wanted = QUEUE_LENGTH - len(cluster.pending)
        line = [big] if turn == BIG_ARRIVES else []
        for number, size in islice(arriving, max(wanted, 0)):
            line.append(f"small-{number}-{size.lifetime}: {devices(size)}, {size.cpu} cpu")
        phrases = [f"{phrase}, in {pool}, since {turn}" for phrase in line]
        arrived = snapshot_of({**site, "waiting": phrases}).pending
        cluster = replace(cluster, pending=(*cluster.pending, *arrived))

        plan = run_cycle(cluster, Millis(turn))

        started = [place.workload for place in plan.starts]
        if WorkloadId("big") in started:
            return True
        cluster = after(cluster, plan)
        ends |= {name: turn + int(name.rpartition("-")[2]) for name in started}
        for name in [name for name, end in ends.items() if end == turn]:
            cluster = without(cluster, name)
    return False
