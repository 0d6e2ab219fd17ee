"""An operator copies the folder of an agent, with its identity, and starts a second one from it.

It is drawn apart from the other faults, so that these stay as they were for each seed.
"""

import random
from copy import copy
from dataclasses import replace
from functools import partial

from tests.simulation.host import Host
from tests.simulation.loop import SECOND, Loop
from tests.simulation.network import Link

TWINS = range(2, 1_000_000_000, 5)
"""In every fifth seed folders are copied."""
COPY_S = 240
TRY_S = 4
"""Between two tries of a second agent to start, as a service manager does."""


class TwinFaults:
    """Starts second agents on hosts that have one, and ends them a while later."""

    def __init__(self, loop: Loop, hosts: list[Host]) -> None:
        self.loop = loop
        self.hosts = hosts
        self.twins: list[Host] = []
        self._rng = random.Random(f"{loop.seed} twins")

    def plan(self) -> None:
        """Draw which folders are copied, and when."""
        if self.loop.seed not in TWINS:
            return
        for host in self._rng.sample(self.hosts, self._rng.randint(1, 2)):
            self.loop.after(self._rng.randint(20, COPY_S) * SECOND, partial(self._copy, host))

    def heal(self) -> None:
        """End every second agent with all of its work: nobody starts it again."""
        for twin in self.twins:
            twin.switch_off()

    def _copy(self, host: Host) -> None:
        if not host.is_on:
            return
        twin = replace(
            host,
            link=Link(self.loop, host.link.weather),
            disk=copy(host.disk),
            folder="copy",
            state=None,
            is_frozen=False,
            is_on=True,
            has_watchdog=True,
            ambush=None,
            later=[],
            others=[host],
        )
        host.others.append(twin)
        self.twins.append(twin)
        host.trace(host.id, "its folder is copied")
        twin.watch(twin.boots)
        self._try(twin)
        self.loop.after(self._rng.randint(60, 240) * SECOND, partial(self._end, twin))

    def _try(self, twin: Host) -> None:
        if twin.is_on:
            twin.start_agent()
            self.loop.after(TRY_S * SECOND, partial(self._try, twin))

    def _end(self, twin: Host) -> None:
        """The operator notices it, ends the second agent, and starts the first one if it is down."""
        twin.switch_off()
        self.loop.after(SECOND, twin.others[0].start_agent)
