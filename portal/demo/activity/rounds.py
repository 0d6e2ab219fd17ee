"""One round of the activity: read the world, decide, act; and end it in order when it is switched off."""

from typing import Final

from portal.common.site_config import get_site_config
from portal.demo.activity.acting import carry_out
from portal.demo.activity.plan import decide, decide_end
from portal.demo.activity.reading import read_world
from portal.demo.state import get_state_for_system

SEED: Final = 20261129


def run_round(seed: int = SEED) -> int:
    """Do what is due, and return how many steps it were; nothing where this is no demo."""
    if not get_site_config().is_demo:
        return 0
    world = read_world(seed)
    return carry_out(decide(world) if get_state_for_system().activity else decide_end(world))
