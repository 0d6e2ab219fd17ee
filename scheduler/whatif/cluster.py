"""The cluster of a simulation: reports every change to the core, and has it decide.

It takes the place of the portal. One ledger is used for the whole run; beside it are the facts that
a database would keep for the next decision: decayed use, and which work was given notice.
"""

from dataclasses import replace

from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import Millis, PendingWorkload, RunningWorkload, WorkloadId
from scheduler.core.model.plan import Plan, PlannedEviction
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.decayed_usage import UsageMeter


class Cluster:
    """A simulated site with its work."""

    def __init__(self, site: Snapshot) -> None:
        self._ledger = Ledger(site)
        self._usage = UsageMeter((), site.taken_at, site.fair_share.half_life_s)
        self._pools = {pool.id: pool for pool in site.pools}
        self._lends = any(pool.policy.lending.to_pools for pool in site.pools)
        self.gpus = len(site.accelerators)

    @property
    def waiting(self) -> int:
        """How many workloads wait."""
        return len(self._ledger.pending)

    @property
    def is_busy(self) -> bool:
        """Return whether anything runs."""
        return bool(self._ledger.running)

    @property
    def running(self) -> tuple[RunningWorkload, ...]:
        """What holds cards now."""
        return tuple(self._ledger.running.values())

    def arrive(self, workload: PendingWorkload) -> None:
        """Queue a workload, new or evicted."""
        self._ledger.enqueue(workload)

    def withdraw(self, workload: WorkloadId) -> None:
        """Remove a waiting workload."""
        self._ledger.withdraw(workload)

    def start(self, workload: WorkloadId, now: Millis) -> RunningWorkload:
        """Report that a placed workload has started, and return it as it runs."""
        placed = self._ledger.running[workload]
        running = replace(placed, started_at=now, checkpointed_at=now)
        self._ledger.update(running)
        self._count(running, 1, now)
        return running

    def revise(self, running: RunningWorkload) -> None:
        """Report what is known now of a running workload: its checkpoint, its ends."""
        self._ledger.update(running)

    def leaving(self, evict: PlannedEviction, now: Millis) -> None:
        """Report that a running workload was given notice, and for which workload."""
        running = self._ledger.running[evict.workload]
        leaves_by = Millis(now + evict.grace_s * 1000)
        self._ledger.update(
            replace(running, stopping=True, stopping_for=evict.beneficiary, leaves_by=leaves_by)
        )

    def end(self, workload: WorkloadId, now: Millis) -> None:
        """Release what a workload holds."""
        self._count(self._ledger.release(workload), -1, now)

    def decide(self, now: Millis, *, explained: bool = False) -> Plan:
        """Let the core decide. What starts is allocated; what is to be evicted still runs.

        Without waiting work and without lending pools there is nothing to decide. With `explained`
        the plan has reasons and expected starts.
        """
        if not self._ledger.pending and not self._lends:
            return Plan(now)
        self._ledger.usage = self._usage.usage(now)
        return decide(self._ledger, now, explained=explained)

    def _count(self, work: RunningWorkload, times: int, now: Millis) -> None:
        milli = total_gpu_milli(work, self._pools[work.pool])
        self._usage.hold(work.group, work.user, times * milli, now)
