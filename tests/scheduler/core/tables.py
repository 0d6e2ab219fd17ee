"""What the tables of single rules are built from: a small site in the phrases of the scenarios."""

from collections.abc import Sequence

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import NodeId, PendingWorkload, PoolId, WorkloadId
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
