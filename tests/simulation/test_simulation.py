"""Two dozen seeded runs without one violation; each is the same whenever it is run again.

`make sim` runs ten thousand.
"""

import pytest

from tests.simulation.bugs import Bugs
from tests.simulation.people import OPEN_ENDS
from tests.simulation.world import Verdict, World

BLOCK, BLOCKS = 6, 4

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_invariant_breaks_and_everything_ends(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        verdict = World(seed, Bugs()).run()
        assert not verdict.violations, _story(verdict)


def test_work_without_a_time_limit_comes_to_none() -> None:
    for seed in OPEN_ENDS[:4]:
        verdict = World(seed, Bugs()).run()
        assert not verdict.violations, _story(verdict)


def test_a_deadline_is_told_after_the_watchdog_has_begun() -> None:
    verdict = World(20_318, Bugs()).run()
    assert not verdict.violations, _story(verdict)


def test_a_seed_replays_exactly() -> None:
    first, second = (World(7, Bugs()).run() for _ in range(2))

    assert first == second


def _story(verdict: Verdict) -> str:
    """Return what a reader needs: what broke, what led to it, and how to see all of it."""
    broken = [f"{v.invariant}: {v.subject}: {v.detail}" for v in verdict.violations]
    again = f"python -m tests.simulation --seeds 1 --start {verdict.seed}"
    return "\n".join([f"seed {verdict.seed}", *broken, *verdict.trace[-60:], again])
