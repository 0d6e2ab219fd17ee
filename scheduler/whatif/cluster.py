"""The core as the simulator drives it: told of every change, asked for a plan.

It stands where the portal stands: it keeps what the database would keep (who waits, who runs on
what, decayed use) and shows the core exactly that.
"""

from collections import Counter, defaultdict
from dataclasses import replace

from scheduler.core.cycle import run_cycle
from scheduler.core.entities import (
    AcceleratorId,
    Millis,
    NodeId,
    PendingWorkload,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.plan import Plan
from scheduler.core.snapshot import Snapshot


class Cluster:
    """A site with its work."""

    def __init__(self, site: Snapshot) -> None:
        self._site = site
        self._pending: dict[WorkloadId, PendingWorkload] = {}
        self._running: dict[WorkloadId, RunningWorkload] = {}
        self.cards = len(site.accelerators)

    @property
    def waiting(self) -> int:
        """How many workloads wait."""
        return len(self._pending)

    def arrive(self, workload: PendingWorkload) -> None:
        """Queue a workload, new or evicted."""
        self._pending[workload.id] = workload

    def withdraw(self, workload: WorkloadId) -> None:
        """Forget a waiting workload."""
        del self._pending[workload]

    def start(self, running: RunningWorkload) -> None:
        """Give a waiting workload what the plan says."""
        del self._pending[running.id]
        self._running[running.id] = running

    def leaving(self, workload: WorkloadId, at: Millis) -> None:
        """Mark a running workload as told to leave by this moment."""
        running = self._running[workload]
        self._running[workload] = replace(running, stopping=True, ends_at=at)

    def end(self, workload: WorkloadId) -> None:
        """Take back what a workload holds."""
        del self._running[workload]

    def decide(self, now: Millis) -> Plan:
        """Ask the core."""
        return run_cycle(self._snapshot(now), now)

    def _snapshot(self, now: Millis) -> Snapshot:
        taken: dict[AcceleratorId, set[int]] = defaultdict(set)
        cpu: Counter[NodeId] = Counter()
        memory: Counter[NodeId] = Counter()
        for running in self._running.values():
            for placement in running.placements:
                cpu[placement.node] += running.request.cpu
                memory[placement.node] += running.request.memory
                for card, slot in placement.devices:
                    taken[card].add(slot)
        return replace(
            self._site,
            taken_at=now,
            nodes=tuple(
                replace(node, cpu_used=cpu[node.id], memory_used=memory[node.id])
                for node in self._site.nodes
            ),
            accelerators=tuple(
                replace(card, taken=frozenset(taken[card.id])) if card.id in taken else card
                for card in self._site.accelerators
            ),
            pending=tuple(self._pending.values()),
            running=tuple(self._running.values()),
        )
