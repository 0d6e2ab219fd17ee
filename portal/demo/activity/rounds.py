"""One round of the activity: read the world, decide, act. What it leaves is deleted after some days."""

from datetime import timedelta
from typing import Final

from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.demo.activity.acting import carry_out
from portal.demo.activity.plan import decide, decide_end
from portal.demo.activity.reading import read_world
from portal.demo.state import get_state_for_system
from portal.workloads.simulated.removal import delete_old

SEED: Final = 20261129
KEPT: Final = timedelta(days=2)
"""How long ended work of the activity stays; that of the seeded past stays with it."""


def run_round(seed: int = SEED) -> int:
    """Do what is due, and return how many steps it were; nothing where this is no demo."""
    if not get_site_config().is_demo:
        return 0
    world = read_world(seed)
    return carry_out(decide(world) if get_state_for_system().activity else decide_end(world))


def tidy_up() -> int:
    """Delete ended work of the activity that is old enough; return how much."""
    seeded_at = get_state_for_system().seeded_at
    if not get_site_config().is_demo or seeded_at is None:
        return 0
    storage_dir = get_site_config().storage_dir
    return delete_old(storage_dir, submitted_after=seeded_at, ended_before=now() - KEPT)
