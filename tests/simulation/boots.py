"""The portal of the simulation on boots of nodes, second hosts, and nodes whose work was given up.

It mirrors `portal.agentlink.heartbeat`, `portal.workloads.operations.node_state` and `node_loss`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.workloads.state.reconcile import Proof
from portal.workloads.state.silence import BootVerdict, KnownBoot, judge_boot
from scheduler.core.model.entities import NodeId
from scheduler.core.model.states import NodeState
from tests.simulation.store import AllocationRow, NodeRow
from wire.messages import Heartbeat

if TYPE_CHECKING:
    from tests.simulation.server import Server


@dataclass(frozen=True, slots=True)
class BootGuard:
    """Decides which heartbeats of a node are heard."""

    server: "Server"

    def accepts(self, node: NodeRow, heartbeat: Heartbeat) -> bool:
        """Return whether a heartbeat is heard, and end what it proves gone."""
        if node.is_quarantined:
            return False
        is_first = bool(node.rival_boot_id) and heartbeat.boot_id == node.boot_id
        if is_first and heartbeat.applied > node.rival_seq:
            node.is_quarantined = True
            return False
        if node.boot_id not in ("", heartbeat.boot_id) and not self._accepts_boot(node, heartbeat):
            return False
        return heartbeat.seq > node.last_seq

    def _accepts_boot(self, node: NodeRow, heartbeat: Heartbeat) -> bool:
        server = self.server
        held = [server.held(row) for row in server.store.on_node(node.id)]
        known = KnownBoot(
            node.machine_id,
            is_lease_over=server.loop.now >= node.lease_until,
            holds_kept=any(not item.ends_with_lease for item in held),
            is_restored=node.awaits_report,
        )
        is_blind = server.bugs.any_machine_proves
        verdict = judge_boot(known, node.machine_id if is_blind else heartbeat.facts.machine_id)
        if verdict in {BootVerdict.WAIT, BootVerdict.UNPROVEN}:
            if node.rival_boot_id != heartbeat.boot_id:
                node.rival_boot_id, node.rival_seq = heartbeat.boot_id, node.last_seq
            return False
        if verdict is BootVerdict.SECOND_HOST:
            node.is_quarantined = True
            return False
        if verdict is BootVerdict.LEASE_OVER:
            server.end_work_of(node, Proof.NEW_BOOT)
        return True

    def record(self, node: NodeRow, heartbeat: Heartbeat) -> None:
        """Note the boot that is heard, and a return after its work was given up."""
        if node.boot_id != heartbeat.boot_id:
            node.boot_id, node.rival_boot_id, node.rival_seq = heartbeat.boot_id, "", -1
        node.machine_id = heartbeat.facts.machine_id
        if node.lost_boot_id and heartbeat.boot_id == node.lost_boot_id:
            node.is_cordoned = True
        else:
            node.lost_boot_id = ""

    def give_up(self, node_id: NodeId, proof: Proof, seen_at: int) -> list[AllocationRow]:
        """End the work of a node without its word, if it was not heard since `seen_at`."""
        node = self.server.store.nodes[node_id]
        is_silent = node.state is NodeState.LOST or node.is_quarantined
        is_over = self.server.loop.now >= node.lease_until
        if not (is_silent and is_over and node.last_seen_at == seen_at and self.server.is_up):
            return []
        node.lost_boot_id, node.awaits_report = node.boot_id, False
        self.server.recovery.given_up.add(node_id)
        return self.server.end_work_of(node, proof)

    def join_again(self, node_id: NodeId) -> None:
        """Enrol a node again whose identity two hosts have used; nothing of it runs any more."""
        node = self.server.store.nodes[node_id]
        node.is_quarantined, node.state = False, NodeState.JOINING
        node.boot_id = node.rival_boot_id = node.machine_id = node.lost_boot_id = ""
        node.last_seq, node.awaits_report = -1, False
