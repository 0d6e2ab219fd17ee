"""When work was last saved, as it has reported itself; that is progress, whatever evicts it."""

from collections.abc import Collection
from datetime import datetime

from portal.common.actor import Actor
from portal.common.clock import from_millis, now
from portal.execution.report import SeenContainer
from portal.workloads.models import Workload
from portal.workloads.state.allocations import NodeAllocations
from portal.workloads.state.eviction_brake import release_brake
from portal.workloads.state.reconcile import ProvenEnd


def record_checkpoints(
    work: NodeAllocations, reports: Collection[SeenContainer | ProvenEnd], *, actor: Actor
) -> None:
    """Save when the work of a present attempt was last saved, by the reports of its node.

    The time is by the node's clock: a moment in the future counts as now.
    """
    saved = {item.key: item.checkpointed_at for item in reports if item.checkpointed_at is not None}
    for item in work.allocations:
        workload, at = work.workloads[item.workload_id], saved.get((item.wire_name, item.epoch))
        if at is None or item.epoch != workload.epoch:
            continue
        moment = min(from_millis(at), now())
        if workload.checkpointed_at is None or moment > workload.checkpointed_at:
            save_checkpoint(workload, moment, actor=actor)


def save_checkpoint(workload: Workload, moment: datetime, *, actor: Actor) -> None:
    """Save that locked work has a checkpoint of this moment."""
    workload.checkpointed_at = moment
    Workload.objects.filter(pk=workload.pk).update(checkpointed_at=moment)
    release_brake(workload, actor=actor)
