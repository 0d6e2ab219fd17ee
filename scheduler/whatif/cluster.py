"""The core as the simulator drives it: told of every change, asked for a plan.

It stands where the portal stands. One ledger lives as long as the run; beside it stand the facts
that a database would keep for the next decision: decayed use, and who was told to leave.
"""

import math
from collections import defaultdict
from dataclasses import replace

from scheduler.core.cycle import decide
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    RunningWorkload,
    UsageView,
    UserId,
    WorkloadId,
)
from scheduler.core.model.plan import Plan, PlannedEviction
from scheduler.core.model.snapshot import Snapshot

Member = tuple[GroupId, UserId]


class Cluster:
    """A site with its work."""

    def __init__(self, site: Snapshot) -> None:
        self._ledger = Ledger(site)
        self._use = _Use(site.fair_share.half_life_s * 1000)
        self._lends = any(pool.policy.lending.to_pools for pool in site.pools)
        self.cards = len(site.accelerators)

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
        """Forget a waiting workload."""
        self._ledger.withdraw(workload)

    def start(self, workload: WorkloadId, now: Millis) -> RunningWorkload:
        """Say that a placed workload has begun, and return it as it runs."""
        placed = self._ledger.running[workload]
        running = replace(placed, started_at=now, checkpointed_at=now)
        self._ledger.update(running)
        self._use.change(running, 1, now)
        return running

    def revise(self, running: RunningWorkload) -> None:
        """Say what is known now of a running workload: idle, saved, its ends."""
        self._ledger.update(running)

    def leaving(self, evict: PlannedEviction) -> None:
        """Say that a running workload was told to leave, and for whom."""
        running = self._ledger.running[evict.workload]
        self._ledger.update(replace(running, stopping=True, stopping_for=evict.beneficiary))

    def end(self, workload: WorkloadId, now: Millis) -> None:
        """Take back what a workload holds."""
        self._use.change(self._ledger.release(workload), -1, now)

    def decide(self, now: Millis) -> Plan:
        """Ask the core. Who was placed is placed; who is to be evicted still runs.

        Where nobody waits and no pool lends there is nothing to ask.
        """
        if not self._ledger.pending and not self._lends:
            return Plan(now)
        self._ledger.usage = self._use.views(now)
        return decide(self._ledger, now, explained=False)


class _Use:
    """Decayed card-seconds by member, brought up to date only when somebody's cards change."""

    def __init__(self, half_life_ms: int) -> None:
        self._half_life = half_life_ms
        self._rows: dict[Member, tuple[int, float, int]] = defaultdict(lambda: (0, 0.0, 0))
        """As of when, decayed card-milliseconds then, cards held since."""

    def change(self, work: RunningWorkload, sign: int, now: int) -> None:
        """Note that a member holds more cards, or fewer."""
        member = (work.group, work.user)
        held = self._rows[member][2]
        cards = work.request.gpus * work.request.replicas
        self._rows[member] = (now, self._amount(member, now), held + sign * cards)

    def views(self, now: int) -> tuple[UsageView, ...]:
        """Return everybody's decayed use now."""
        return tuple(
            UsageView(group, user, round(self._amount((group, user), now) / 1000))
            for group, user in sorted(self._rows)
        )

    def _amount(self, member: Member, now: int) -> float:
        since, amount, cards = self._rows[member]
        faded = amount * math.exp2((since - now) / self._half_life)
        return faded + cards * (now - since)
