"""A simulation that catches nothing proves nothing: every planted bug must be found."""

import pytest

from tests.simulation.bugs import Bugs
from tests.simulation.world import World

pytestmark = pytest.mark.simulation

EXPECTED = [
    # The bug, the seeds within which it must show, and the invariants that may betray it.
    ({"no_self_fence"}, 40, {"freed_capacity", "single_container"}),
    ({"no_lease_wait"}, 20, {"freed_capacity", "single_container"}),
    ({"frees_at_stop_request"}, 20, {"freed_capacity"}),
    ({"frees_at_stop_request", "ignores_devices"}, 20, {"freed_capacity", "device_use"}),
    ({"forgets"}, 60, {"single_container", "freed_capacity", "liveness", "started_once"}),
    ({"no_tombstones"}, 300, {"liveness"}),
    ({"applies_stale_replies"}, 400, {"single_container", "freed_capacity", "liveness"}),
    ({"epoch_stays"}, 20, {"gangs", "started_once", "liveness"}),
    ({"silence_is_proof"}, 300, {"freed_capacity", "single_container"}),
    ({"splits_gangs"}, 20, {"owners", "gangs"}),
    ({"ignores_quota"}, 20, {"quota_ceilings", "user_ceilings"}),
    ({"cancel_loses"}, 100, {"cancel_wins"}),
    ({"starts_past_lease"}, 60, {"freed_capacity", "single_container"}),
    ({"frees_at_eviction"}, 40, {"freed_capacity"}),
    ({"evicts_anybody"}, 40, {"evictions"}),
    ({"eviction_keeps_epoch"}, 40, {"gangs", "epochs", "started_once", "liveness"}),
    ({"places_before_gone"}, 80, {"single_container", "device_use", "refused_by_store"}),
    ({"forgets_ends"}, 20, {"liveness"}),
]


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("names", "seeds", "betrayed_by"),
    EXPECTED,
    ids=["+".join(sorted(case[0])) for case in EXPECTED],
)
def test_planted_bug_is_caught(names: set[str], seeds: int, betrayed_by: set[str]) -> None:
    bugs = Bugs(**dict.fromkeys(names, True))
    for seed in range(seeds):
        found = {violation.invariant for violation in World(seed, bugs).run().violations}
        if found:
            assert found & betrayed_by, found
            return
    pytest.fail(f"{names} went unnoticed for {seeds} seeds")
