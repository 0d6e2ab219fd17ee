"""What the tables of single rules are built from: a small site in the phrases of the scenarios."""

from collections.abc import Sequence

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import (
    NodeId,
    PendingWorkload,
    PoolId,
    RunningWorkload,
    WorkloadId,
)
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.snapshot import Snapshot
from tests.scheduler.phrases import lines, policy
from tests.scheduler.scenario import snapshot_of

TRAINING = PoolId("training")
N1, N2 = NodeId("n1"), NodeId("n2")


def a_ledger(
    nodes: Sequence[str] = ("n1: 8 cards",),
    running: Sequence[str] = (),
    waiting: Sequence[str] = (),
    **more: object,
) -> Ledger:
    """Return the ledger of a site; pools, groups and quotas have the defaults of the scenarios."""
    site = {"nodes": nodes, "running": running, "waiting": waiting, **more}
    return Ledger(snapshot_of(site))


def pending(ledger: Ledger, name: str) -> PendingWorkload:
    """Return waiting work by its name."""
    return ledger.pending[WorkloadId(name)]


def running(ledger: Ledger, name: str) -> RunningWorkload:
    """Return running work by its name."""
    return ledger.running[WorkloadId(name)]


def a_snapshot(**site: object) -> Snapshot:
    """Return the snapshot of a site in the phrases of the scenarios."""
    return snapshot_of(site)


def a_waiting(words: str, **site: object) -> PendingWorkload:
    """Return one workload that waits, as the words say."""
    return a_snapshot(waiting=[f"a: {words}"], **site).pending[0]


def a_running(words: str, now: int = 1000, **site: object) -> RunningWorkload:
    """Return one workload that runs on `n1`, of eight cards unless the site says otherwise."""
    form = {"nodes": ["n1: 8 cards"], "now": now, **site}
    return snapshot_of({**form, "running": [f"a: {words}"]}).running[0]


def rules(words: str) -> PoolPolicy:
    """Return the policy of a pool, as the words say."""
    return policy(lines([f"pool: {words}"])[0])
