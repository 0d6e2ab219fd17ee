"""The portal is lost and restored from an older backup of its database.

It is drawn apart from the other faults, so that these stay as they were for each seed.
"""

import random
from functools import partial

from nodeagent.core.state import ContainerKey
from scheduler.core.model.entities import NodeId
from tests.simulation.host import Host
from tests.simulation.loop import SECOND, Loop
from tests.simulation.restoring import backup_of
from tests.simulation.server import Server
from tests.simulation.store import Store

RESTORES = range(7, 1_000_000_000, 10)
"""In every tenth seed the portal is restored from a backup, at least once."""
LATEST_S = 240
"""Until when a backup is made; the world heals two minutes later."""


class RestoreFaults:
    """Makes backups, and brings the portal back with one of them."""

    def __init__(self, loop: Loop, server: Server, hosts: list[Host]) -> None:
        self.loop = loop
        self.server = server
        self.hosts = hosts
        self.is_healed = False
        self.forgotten: set[tuple[NodeId, ContainerKey]] = set()
        """Containers that ran when the portal came back, and that its backup did not know."""
        self._rng = random.Random(f"{loop.seed} restores")

    def plan(self) -> None:
        """Draw when backups are made, and when they are needed."""
        if self.loop.seed not in RESTORES:
            return
        for _ in range(self._rng.randint(1, 2)):
            self.loop.after(self._rng.randint(20, LATEST_S) * SECOND, self._back_up)

    def _back_up(self) -> None:
        backup = backup_of(self.server.store)
        self._trace("backup is made")
        lost_after, away = self._rng.randint(1, 90), self._rng.choice((2, 20, 90))
        self.loop.after(lost_after * SECOND, self._lose)
        self.loop.after((lost_after + away) * SECOND, partial(self._restore, backup))

    def _lose(self) -> None:
        self.server.is_up = False

    def _restore(self, backup: Store) -> None:
        if self.is_healed:
            return
        writes = self.server.store.writes
        self.server.recovery.begin(backup)
        self.server.store.writes = writes + 1
        self.server.is_up = True
        held = {(row.name, row.epoch) for row in self.server.store.allocations}
        self.forgotten.clear()
        for host in self.hosts:
            host.lose_connection()
            host.engine.clean_exits.clear()
            running = {box.key for box in host.engine.alive} - host.engine.ordered_stops
            self.forgotten |= {(host.id, key) for key in running if key not in held}
        self._trace("restored from a backup")

    def _trace(self, what: str) -> None:
        self.hosts[0].trace("portal", what)
