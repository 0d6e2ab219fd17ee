"""The portal is away: every server process and both stores are killed, and started again.

`BERTH_TEST_OUTAGE_S` sets for how long; by default a little longer than a lease, so that it is over on
every node.
"""

import os
from typing import Final

from tests.integration.platform import READY_S, SLOWLY_S, Platform
from tests.waiting import wait_until

OUTAGE_S: Final = float(os.environ.get("BERTH_TEST_OUTAGE_S", "40"))
SERVERS: Final = ("live", "web", "scheduler", "worker", "beat", "redis", "postgres")


def lose_portal(platform: Platform) -> None:
    """Kill everything but the agents and their work."""
    for name in SERVERS:
        platform.kill(name)


def find_portal(platform: Platform) -> None:
    """Start everything again that was killed, the stores first."""
    for name in reversed(SERVERS):
        if name == "postgres":
            platform.restart_postgres()
        else:
            platform.restart(name)
    wait_until(platform.pipeline.answers, within_s=READY_S, every_s=SLOWLY_S)
    wait_until(lambda: len(platform.ready_nodes()) == 4, within_s=READY_S, every_s=SLOWLY_S)
