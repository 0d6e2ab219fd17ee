"""The portal of the simulation on boots of nodes, second hosts, and nodes whose work was given up.

It mirrors `portal.agentlink.admission`, `portal.workloads.operations.node_state` and `node_loss`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.workloads.state.reconcile import Proof
from portal.workloads.state.silence import (
    CHALLENGE_GAP,
    AgentVerdict,
    BootVerdict,
    KnownAgent,
    KnownBoot,
    judge_agent,
    judge_boot,
)
from scheduler.core.model.entities import NodeId
from scheduler.core.model.states import NodeState
from tests.simulation.loop import SECOND
from tests.simulation.store import AllocationRow, NodeRow
from wire.messages import Heartbeat
from wire.versions import HEARTBEAT_S

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
        if node.boot_id not in ("", heartbeat.boot_id):
            return self._accepts_boot(node, heartbeat) and heartbeat.seq > node.last_seq
        match self._judge_agent(node, heartbeat):
            case AgentVerdict.TWO_HOSTS:
                node.is_quarantined = True
                return False
            case AgentVerdict.EARLIER:
                if node.challenge_seq < 0:
                    node.challenge_seq = node.last_seq + CHALLENGE_GAP
                return False
            case verdict:
                return verdict is AgentVerdict.KNOWN and heartbeat.seq > node.last_seq

    def told_seq(self, node: NodeRow, heartbeat: Heartbeat) -> int | None:
        """Return what an agent that was refused is told to count on from; None leaves it silent.

        Only what another folder's agent needs: repetitions of one agent's messages are refused unheard.
        """
        if node.is_quarantined or heartbeat.boot_id != node.boot_id:
            return None
        if self._judge_agent(node, heartbeat) is AgentVerdict.EARLIER:
            return node.challenge_seq
        is_stale = heartbeat.instance != node.instance and heartbeat.seq <= node.last_seq
        return node.last_seq if is_stale else None

    def _judge_agent(self, node: NodeRow, heartbeat: Heartbeat) -> AgentVerdict:
        if self.server.bugs.hears_any_agent:
            return AgentVerdict.KNOWN
        silent_ms = self.server.loop.now - node.last_seen_at
        known = KnownAgent(
            node.instance,
            node.agent_since_seq,
            node.last_seq,
            node.challenge_seq,
            is_heard=silent_ms < 3 * HEARTBEAT_S * SECOND,
        )
        return judge_agent(known, heartbeat.instance, heartbeat.seq, heartbeat.applied)

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
        node.machine_id, node.instance = heartbeat.facts.machine_id, heartbeat.instance
        if heartbeat.applied < 0 and (node.has_applied or node.agent_since_seq < 0):
            node.agent_since_seq, node.challenge_seq = heartbeat.seq, -1
        node.has_applied = heartbeat.applied >= 0
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
        node.last_seq, node.awaits_report, node.instance = -1, False, ""
        node.agent_since_seq, node.has_applied, node.challenge_seq = -1, False, -1
