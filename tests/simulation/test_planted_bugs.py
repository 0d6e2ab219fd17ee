"""A simulation that catches nothing proves nothing: every planted bug must be found."""

import pytest

from tests.simulation.bugs import Bugs
from tests.simulation.faults import LONG_OUTAGES, STORMS
from tests.simulation.lonely import LONELY
from tests.simulation.people import OPEN_ENDS
from tests.simulation.restore_faults import RESTORES
from tests.simulation.twins import TWINS
from tests.simulation.world import World

pytestmark = pytest.mark.simulation

EXPECTED = [
    # The bug, the seeds within which it must show, and the invariants that may betray it. The seeds of
    # a rare one begin where it shows soon.
    ({"no_self_fence"}, range(100), {"freed_capacity", "single_container"}),
    ({"no_lease_wait"}, range(60), {"freed_capacity", "single_container"}),
    ({"frees_at_stop_request"}, range(60), {"freed_capacity"}),
    ({"frees_at_stop_request", "ignores_devices"}, range(60), {"freed_capacity", "device_use"}),
    ({"forgets"}, range(60), {"single_container", "freed_capacity", "liveness", "started_once"}),
    ({"no_tombstones"}, STORMS[4:120], {"liveness"}),
    (
        {"applies_stale_replies"},
        STORMS[16:120],
        {"single_container", "freed_capacity", "liveness", "forgotten_work"},
    ),
    ({"epoch_stays"}, range(60), {"gangs", "owners", "started_once", "liveness"}),
    ({"silence_is_proof"}, STORMS[4:120], {"freed_capacity", "single_container"}),
    ({"splits_gangs"}, range(60), {"owners", "gangs"}),
    ({"ignores_quota"}, range(60), {"quota_ceilings", "user_ceilings"}),
    ({"cancel_loses"}, range(4, 100), {"cancel_wins"}),
    ({"starts_held_work"}, range(40), {"held_work_waits"}),
    ({"starts_past_lease"}, range(3, 60), {"freed_capacity", "single_container"}),
    ({"frees_at_eviction"}, range(100), {"freed_capacity"}),
    ({"evicts_anybody"}, range(100), {"evictions"}),
    (
        {"eviction_keeps_epoch"},
        range(100),
        {"gangs", "epochs", "owners", "started_once", "liveness"},
    ),
    (
        {"places_before_gone"},
        range(34, 100),
        {"single_container", "device_use", "refused_by_store"},
    ),
    ({"forgets_ends"}, range(60), {"liveness"}),
    ({"fences_kept"}, range(60), {"kept_work"}),
    ({"gives_up_kept"}, range(3, 60), {"freed_capacity", "single_container"}),
    ({"any_machine_proves"}, range(12, 120), {"freed_capacity", "single_container", "liveness"}),
    ({"places_before_heard"}, RESTORES[18:100], {"single_container", "freed_capacity"}),
    ({"stops_forgotten"}, RESTORES[:20], {"forgotten_work", "freed_capacity", "liveness"}),
    ({"epochs_are_reused"}, RESTORES[32:132], {"liveness", "started_once", "freed_capacity"}),
    ({"no_limit_in_silence"}, LONG_OUTAGES[:8], {"time_limit"}),
    ({"limits_open_ends"}, OPEN_ENDS[:8], {"open_end"}),
    ({"watchdog_hurries"}, LONG_OUTAGES[:8], {"told_deadline"}),
    ({"tells_over_orders"}, range(20_318, 20_319), {"told_deadline"}),
    ({"forgets_stops", "tells_over_orders"}, range(451, 452), {"told_deadline"}),
    ({"no_shim_guard"}, LONELY[:40], {"freed_capacity", "single_container"}),
    ({"no_host_lock"}, TWINS[5:20], {"freed_capacity", "single_container"}),
    (
        {"no_host_lock", "hears_any_agent"},
        TWINS[:10],
        {"freed_capacity", "single_container", "device_use"},
    ),
    ({"forgets_silent_ends"}, range(60), {"kept_end", "liveness"}),
]


@pytest.mark.parametrize(
    ("names", "seeds", "betrayed_by"),
    EXPECTED,
    ids=["+".join(sorted(case[0])) for case in EXPECTED],
)
def test_planted_bug_is_caught(names: set[str], seeds: range, betrayed_by: set[str]) -> None:
    bugs = Bugs(**dict.fromkeys(names, True))
    for seed in seeds:
        found = {violation.invariant for violation in World(seed, bugs).run().violations}
        if found:
            assert found & betrayed_by, found
            return
    pytest.fail(f"{names} went unnoticed in {len(seeds)} seeds")
