"""Agent and watchdog of a host die together, and are away for a while.

It is drawn apart from the other faults, so that these stay as they were for each seed.
"""

import random
from functools import partial

from tests.simulation.host import Host
from tests.simulation.loop import SECOND, Loop

LONELY = range(4, 1_000_000_000, 5)
"""In every fifth seed work is left alone."""
BEGINS_S = 240


class LonelyFaults:
    """Leaves the containers of some hosts to themselves."""

    def __init__(self, loop: Loop, hosts: list[Host]) -> None:
        self.loop = loop
        self.hosts = hosts
        self._rng = random.Random(f"{loop.seed} lonely")

    def plan(self) -> None:
        """Draw which hosts, when, and for how long."""
        if self.loop.seed not in LONELY:
            return
        for host in self._rng.sample(self.hosts, self._rng.randint(1, 3)):
            begins_ms = self._rng.randint(20, BEGINS_S) * SECOND
            away_ms = self._rng.choice((20, 100, 200)) * SECOND
            self.loop.after(begins_ms, partial(self._leave, host))
            self.loop.after(begins_ms + away_ms, partial(self._return, host))

    def heal(self) -> None:
        """Bring every watchdog back."""
        for host in self.hosts:
            host.has_watchdog = True

    def _leave(self, host: Host) -> None:
        host.trace(host.id, "agent and watchdog die")
        host.has_watchdog = False
        host.kill_agent()

    def _return(self, host: Host) -> None:
        host.has_watchdog = True
        host.start_agent()
