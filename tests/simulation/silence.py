"""Faults of silence: a portal that is away, operators and fence commands, and a second host.

An operator who is wrong and a fence command that lies may start a second copy: no protocol prevents
that. Such containers are marked as forsaken. What must hold is that they end once the node is heard.
"""

from copy import copy
from dataclasses import replace
from functools import partial

from nodeagent.core.state import ContainerKey
from portal.workloads.state.reconcile import Proof
from scheduler.core.model.entities import NodeId
from scheduler.core.model.states import NodeState
from tests.simulation.host import Host
from tests.simulation.loop import SECOND, Loop
from tests.simulation.network import Link
from tests.simulation.server import Server

REJOIN_S = 60
"""After healing: longer than any lease that still runs."""
DAYS_S = 2 * 24 * 3600
"""The longest outage."""


class SilenceFaults:
    """What happens to the portal, or between it and a node, for longer than a lease."""

    def __init__(self, loop: Loop, server: Server, hosts: list[Host]) -> None:
        self.loop = loop
        self.server = server
        self.hosts = hosts
        self.clones: list[Host] = []
        """Second hosts with the identity of a node."""
        self.is_healed = False
        self._joining: set[NodeId] = set()
        """Nodes that an operator is about to enrol again."""

    def plan_long_outage(self) -> int:
        """Take the portal away for hours or days, and return when all of that is over."""
        begins_ms = self.loop.between(60, 200)
        length_ms = self.loop.between(3600, DAYS_S)
        self.loop.after(begins_ms, self._lose_portal)
        self.loop.after(begins_ms + length_ms, self._find_portal)
        return begins_ms + length_ms + 120 * SECOND

    def portal_outage(self, host: Host) -> None:
        """The portal is away for minutes; PostgreSQL keeps everything."""
        host.trace("portal", "is away")
        self.server.is_up = False
        self.loop.after(self.loop.between(30, 200), lambda: setattr(self.server, "is_up", True))

    def declare_lost(self, host: Host) -> None:
        """An operator declares a silent node lost, rightly or wrongly."""
        self._fall_silent(host, is_off=self.loop.chance(50))
        self.loop.after(
            self.loop.between(30, 120), partial(self._give_up, host, Proof.DECLARED_LOST)
        )

    def fence(self, host: Host) -> None:
        """A fence command is run on a silent node; it may lie."""
        self._fall_silent(host, is_off=False)
        self.loop.after(self.loop.between(50, 100), partial(self._begin_fence, host))

    def clone_host(self, host: Host) -> None:
        """A copy of the node's disk boots on another machine, while the first one may be cut off."""
        if not host.is_on or any(clone.is_on and clone.id == host.id for clone in self.clones):
            return
        if self.loop.chance(70):
            self._fall_silent(host, is_off=False)
        clone = replace(
            host,
            link=Link(self.loop, host.link.weather),
            machine_id=f"sim:clone-of-{host.id}",
            disk=copy(host.disk),
            others=[],
            has_watchdog=True,
            boots=host.boots + 1000,
            state=None,
            is_on=False,
            is_frozen=False,
            ambush=None,
            later=[],
            forsaken=set(),
        )
        self.clones.append(clone)
        self.loop.after(self.loop.between(0, 90), partial(self._boot_clone, host, clone))
        self.loop.after(self.loop.between(120, 240), clone.power_off)

    def _boot_clone(self, host: Host, clone: Host) -> None:
        if not self.is_healed:
            host.trace(host.id, "a second host has its identity")
            clone.boot()

    def heal(self) -> None:
        """Bring the portal back, switch second hosts off, and enrol again what was shut out."""
        self.is_healed = True
        for clone in self.clones:
            clone.power_off()
        for host in self.hosts:
            host.is_unlinked = False
        self.tend()

    def tend(self) -> None:
        """Do what an operator does: uncordon what came back, enrol again what was shut out."""
        for node in self.server.store.nodes.values():
            if node.is_cordoned:
                node.is_cordoned, node.lost_boot_id = False, ""
        for host in self.hosts:
            if self.is_shut_out(host) and host.id not in self._joining:
                self._joining.add(host.id)
                host.power_off()
                self.loop.after(REJOIN_S * SECOND, partial(self._join_again, host))

    def is_shut_out(self, host: Host) -> bool:
        """Tell whether two hosts have used the identity of this node."""
        return self.server.store.nodes[host.id].is_quarantined

    def switch_on(self, host: Host) -> None:
        """Boot a host that is off, unless an operator is about to enrol it again."""
        if not host.is_on and not (self.is_healed and self.is_shut_out(host)):
            host.boot()

    def _join_again(self, host: Host) -> None:
        """An operator who has switched the hosts off declares the node lost, and enrols one again."""
        node = self.server.store.nodes[host.id]
        self.server.boots.give_up(host.id, Proof.DECLARED_LOST, node.last_seen_at)
        self.server.boots.join_again(host.id)
        self._joining.discard(host.id)
        host.boot()

    def _lose_portal(self) -> None:
        self.server.is_up = False
        self._trace("is away for long")
        for host in self.hosts:
            host.lose_portal()

    def _find_portal(self) -> None:
        self.server.is_up = True
        self._trace("is back")
        for host in self.hosts:
            host.find_portal()

    def _fall_silent(self, host: Host, *, is_off: bool) -> None:
        if is_off:
            host.trace(host.id, "is switched off")
            host.power_off()
            self.loop.after(self.loop.between(100, 200), partial(self.switch_on, host))
        else:
            host.trace(host.id, "falls silent")
            host.link.up_is_cut = host.link.down_is_cut = True
            self.loop.after(self.loop.between(60, 200), host.link.heal)

    def _give_up(self, host: Host, proof: Proof) -> None:
        seen_at = self.server.store.nodes[host.id].last_seen_at
        self._mark(host, proof, seen_at)

    def _begin_fence(self, host: Host) -> None:
        """Run the command; it switches the node off, lies, or fails."""
        node = self.server.store.nodes[host.id]
        if node.state is not NodeState.LOST:
            return
        is_honest, says_off = self.loop.chance(50), self.loop.chance(80)
        if is_honest and says_off:
            host.power_off()
            self.loop.after(self.loop.between(60, 200), partial(self.switch_on, host))
        if says_off:
            conclude = partial(self._mark, host, Proof.FENCED, node.last_seen_at)
            self.loop.after(self.loop.between(0.1, 60), conclude)

    def _mark(self, host: Host, proof: Proof, seen_at: int) -> None:
        """Give up the work of a node, and mark what runs there all the same."""
        given_up = self.server.boots.give_up(host.id, proof, seen_at)
        host.trace(host.id, f"{proof}: {len(given_up)} given up")
        if host.is_on:
            host.forsaken |= {ContainerKey(row.name, row.epoch) for row in given_up}

    def _trace(self, what: str) -> None:
        self.hosts[0].trace("portal", what)
